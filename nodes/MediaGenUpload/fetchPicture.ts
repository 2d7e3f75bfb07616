import type { IExecuteFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { pictureType, UPLOAD_MAX_BYTES } from '../shared/api/picture';
import { openFile } from '../shared/output/download';
import { getConnection } from '../shared/api/connection';
import type { FileSource } from '../shared/api/multipart';

/**
 * Fetches a picture by its address, never more of it than the service would take. Throws a `NodeOperationError` that
 * names the item for an address that is none or private, for a file that is no picture, and for one too large.
 */
export async function fetchPicture(
	context: IExecuteFunctions,
	address: string,
	itemIndex: number,
): Promise<FileSource> {
	const refuse = (reason: string) =>
		new NodeOperationError(context.getNode(), `"URL": ${reason} [item ${itemIndex}]`, { itemIndex });

	const connection = await getConnection(context);
	const { body } = await openFile(context, address, connection, context.getExecutionCancelSignal());
	const chunks: Buffer[] = [];
	let bytes = 0;
	for await (const chunk of body) {
		const piece = Buffer.from(chunk);
		bytes += piece.length;
		if (bytes > UPLOAD_MAX_BYTES) {
			body.destroy();
			throw refuse(`the file has more than the ${UPLOAD_MAX_BYTES} bytes that the service takes`);
		}
		chunks.push(piece);
	}
	const mimeType = pictureType(Buffer.concat(chunks.slice(0, 2)));
	if (mimeType === undefined) {
		throw refuse('the file is not a picture that the service takes (JPEG, PNG, GIF or WebP by its content)');
	}
	const name = decodeURIComponent(new URL(address).pathname.split('/').pop() ?? '');
	return { bytes, mimeType, fileName: name || 'picture', chunks: inOrder(chunks) };
}

async function* inOrder(chunks: Buffer[]): AsyncGenerator<Buffer> {
	for (const chunk of chunks) yield await Promise.resolve(chunk);
}
