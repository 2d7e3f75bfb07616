import type { IExecuteFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import type { Connection } from '../shared/api/connection';
import { CanceledError, errorFromThrown } from '../shared/api/errors';
import type { FileSource } from '../shared/api/multipart';
import { backoffMs, bounded, mayRetry, withHardEnd } from '../shared/api/http';
import { pictureType, UPLOAD_MAX_BYTES } from '../shared/api/uploads';
import { readWhole } from '../shared/n8n/binary';
import { asNodeError, itemError } from '../shared/n8n/nodeErrors';
import { checkStatus, openFile } from '../shared/output/download';
import { clock, sleep } from '../shared/util/clock';
import { decodedPart } from '../shared/util/schema';

const FETCH_WITHIN_MS = 120_000;

const CHECK_URL = 'Check "URL", and that this n8n can fetch it.';

/** Downloads a picture, never more of it than the service accepts. Throws an n8n error that names the item. */
export async function fetchPicture(
	context: IExecuteFunctions,
	connection: Connection,
	address: string,
	itemIndex: number,
): Promise<FileSource> {
	const refuse = (reason: string) => itemError(context.getNode(), `"URL": ${reason}`, itemIndex);
	const tooLarge = () =>
		refuse(`the file has more than the ${UPLOAD_MAX_BYTES} bytes that the service accepts`);

	const readOnce = async (end: AbortSignal) => {
		const response = await openFile(context, address, connection, end);
		checkStatus(response);
		return await readWhole(bounded(response.body, UPLOAD_MAX_BYTES, tooLarge));
	};
	const until = clock.now() + FETCH_WITHIN_MS;
	const read = async (end: AbortSignal) => {
		for (let attempts = 1; ; attempts++) {
			try {
				return await readOnce(end);
			} catch (thrown) {
				const error = thrown instanceof NodeOperationError ? thrown : errorFromThrown(thrown);
				if (error instanceof NodeOperationError || error instanceof CanceledError) throw error;
				const wait = backoffMs(error, attempts);
				const mayCome = mayRetry('read', error, attempts) && !end.aborted;
				if (!mayCome || clock.now() + wait > until)
					throw asNodeError(context.getNode(), error, { itemIndex, hint: CHECK_URL });
				await sleep(wait, end);
			}
		}
	};
	const content = await withHardEnd(
		FETCH_WITHIN_MS,
		'The picture was not fully downloaded within two minutes',
		context.getExecutionCancelSignal(),
		read,
	);
	const mimeType = pictureType(content);
	if (mimeType === undefined) {
		throw refuse(
			'the file is not a picture that the service accepts (JPEG, PNG, GIF or WebP by its content)',
		);
	}
	return {
		bytes: content.length,
		mimeType,
		fileName: decodedPart(new URL(address).pathname.split('/').pop() ?? '') || 'picture',
		open: () => [content],
	};
}
