import type { IExecuteFunctions } from 'n8n-workflow';

import { uploadRecord } from '../api/records';
import { reopenPicture } from '../n8n/binary';
import { PendingUpload } from '../n8n/pendingUpload';
import type { ServiceClient } from '../api/client';
import { type FileSource, multipartFile } from '../api/multipart';
import type { z } from '../util/vendor/zod';
import type { SubmissionLedger } from '../purchase/purchaseRecords';

const UPLOAD_PATH = '/v1/uploads/images';

/**
 * Stores a picture at the service for 72 hours (spec §7). An upload costs nothing, so it is tried again whatever
 * went wrong on the way. Throws a `ServiceFault`.
 */
export async function uploadPicture(
	client: ServiceClient,
	picture: FileSource,
): Promise<z.infer<typeof uploadRecord>> {
	const { body, contentType } = await multipartFile('file', picture);
	return await client.send(
		{
			method: 'POST',
			path: UPLOAD_PATH,
			body,
			headers: { 'content-type': contentType },
			retry: 'read',
			timeoutMs: 120_000,
		},
		uploadRecord,
	);
}

async function urlOf(
	context: IExecuteFunctions,
	client: ServiceClient,
	ledger: SubmissionLedger,
	pending: PendingUpload,
): Promise<string> {
	const known = ledger.find(pending.itemIndex, pending);
	if (known !== undefined) return known;
	const { url } = await uploadPicture(client, await reopenPicture(context, pending));
	ledger.record(pending.itemIndex, pending, url);
	return url;
}

/** Uploads every picture that stands in a body, at any depth, and puts its URL in its place. */
export async function resolveUploads<Value>(
	context: IExecuteFunctions,
	client: ServiceClient,
	ledger: SubmissionLedger,
	value: Value,
): Promise<unknown> {
	if (value instanceof PendingUpload) return await urlOf(context, client, ledger, value);
	if (Array.isArray(value)) {
		const resolved: unknown[] = [];
		for (const inner of value) resolved.push(await resolveUploads(context, client, ledger, inner));
		return resolved;
	}
	if (typeof value !== 'object' || value === null) return value;
	const resolved: Record<string, unknown> = {};
	for (const [name, inner] of Object.entries(value)) {
		resolved[name] = await resolveUploads(context, client, ledger, inner);
	}
	return resolved;
}
