import type { IExecuteFunctions } from 'n8n-workflow';

import type { MediaGenClient } from '../api/client';
import type { Deadline } from '../api/http';
import { type PendingUpload, reopenFile } from '../n8n/binary';
import { clock, HOUR_MS } from '../util/clock';
import { objectIn, objectOf } from '../util/json';
import { z } from '../util/vendor/zod';

/** n8n keeps a node's own data with the execution, through all attempts and rounds. */
type ExecutionData = Pick<IExecuteFunctions, 'getContext'>;

const UPLOADS = 'mediaGenUploads';

/** An upload's URL lives for 72 hours (spec §7); the task that uses it needs some of them. */
const REUSE_UPLOAD_MS = 70 * HOUR_MS;

/** The execution's data stays bounded: beyond this number, the oldest uploads are forgotten. */
const MAX_UPLOADS = 1_000;

const storedUpload = z.object({ url: z.string(), reuseUntil: z.number() });

/** The link of a picture that this node has uploaded in this execution, by its fingerprint. */
export function findUpload(execution: ExecutionData, fingerprint: string): string | undefined {
	const uploads = objectOf(execution.getContext('node')[UPLOADS]);
	const upload = storedUpload.safeParse(uploads[fingerprint]);
	return upload.success && clock.now() < upload.data.reuseUntil ? upload.data.url : undefined;
}

export function markUploaded(execution: ExecutionData, fingerprint: string, url: string): void {
	const uploads = objectIn(execution.getContext('node'), UPLOADS);
	uploads[fingerprint] = { url, reuseUntil: clock.now() + REUSE_UPLOAD_MS };
	for (const oldest of Object.keys(uploads).slice(0, -MAX_UPLOADS)) delete uploads[oldest];
}

/** Uploads under way, by execution and picture: rows side by side often have the same one. */
const underWay = new Map<string, Promise<string>>();

/** Uploads a picture of an item, unless another item or an earlier attempt did. Throws an `ApiError`, or a `NodeOperationError` for its file. */
export async function uploadedLink(
	{ context, client }: { context: IExecuteFunctions; client: MediaGenClient },
	picture: PendingUpload,
	deadline: Deadline,
): Promise<string> {
	const { fingerprint } = picture;
	const known = findUpload(context, fingerprint);
	if (known !== undefined) return known;
	const key = `${context.getExecutionId()} ${fingerprint}`;
	const upload = async () => {
		try {
			const { url } = await client.uploads.create(await reopenFile(context, picture), deadline);
			markUploaded(context, fingerprint, url);
			return url;
		} finally {
			underWay.delete(key);
		}
	};
	const link = underWay.get(key) ?? upload();
	underWay.set(key, link);
	return await link;
}
