import { createHash } from 'crypto';
import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { pictureType } from '../api/picture';
import type { FileSource } from '../api/multipart';
import { PendingUpload } from './pendingUpload';

/** Limits on one picture, before it is sent. */
export interface PictureRules {
	/** Label of the field that names the binary property. */
	field: string;
	maxBytes: number;
	/** MIME types that are taken. */
	types: readonly string[];
}

/** Splits "data, mask" into the names of the binary properties it lists. */
export function splitNames(names: unknown): string[] {
	const list = Array.isArray(names) ? names : [names];
	return list
		.filter((name): name is string => typeof name === 'string')
		.flatMap((name) => name.split(','))
		.map((name) => name.trim())
		.filter((name) => name !== '');
}

interface StoredFile {
	bytes: number;
	chunks: AsyncIterator<Buffer>;
}

async function* buffers(source: AsyncIterable<Buffer | string> | Buffer[]): AsyncGenerator<Buffer> {
	for await (const chunk of source) yield Buffer.from(chunk);
}

/** Opens a binary field, wherever n8n keeps it, without taking the whole file into memory. */
async function openBinary(
	context: IExecuteFunctions,
	itemIndex: number,
	property: string,
	data: IBinaryData,
): Promise<StoredFile> {
	if (data.id === undefined) {
		const content = await context.helpers.getBinaryDataBuffer(itemIndex, property);
		return { bytes: content.length, chunks: buffers([content]) };
	}
	const { fileSize } = await context.helpers.getBinaryMetadata(data.id);
	return { bytes: fileSize, chunks: buffers(await context.helpers.getBinaryStream(data.id)) };
}

async function* rejoin(first: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
	yield first;
	for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

/**
 * Opens a picture in an item's binary data: its type by its first bytes, its size within the rules. Throws a
 * `NodeOperationError` that names the item and the field.
 */
export async function openPicture(
	context: IExecuteFunctions,
	itemIndex: number,
	property: string,
	rules: PictureRules,
): Promise<FileSource> {
	const refuse = (reason: string, description?: string) =>
		new NodeOperationError(context.getNode(), `"${rules.field}": ${reason} [item ${itemIndex}]`, {
			itemIndex,
			description,
		});

	const data = context.getInputData()[itemIndex]?.binary?.[property];
	if (data === undefined) {
		throw refuse(
			`the input item has no binary data in the field "${property}"`,
			'Give the name of a field that the "Binary" tab of the input shows.',
		);
	}
	const { bytes, chunks } = await openBinary(context, itemIndex, property, data);
	if (bytes > rules.maxBytes) {
		await chunks.return?.();
		throw refuse(`the file in "${property}" has ${bytes} bytes, and ${rules.maxBytes} are the limit`);
	}
	const start = await chunks.next();
	const first = start.done ? Buffer.alloc(0) : start.value;
	const mimeType = pictureType(first);
	if (mimeType === undefined || !rules.types.includes(mimeType)) {
		await chunks.return?.();
		const allowed = rules.types.map((name) => name.replace('image/', '')).join(', ');
		throw refuse(
			`the file in "${property}" is not a picture that the service takes`,
			`By its content it must be one of ${allowed}, whatever its name says.`,
		);
	}
	return { bytes, mimeType, fileName: data.fileName ?? property, chunks: rejoin(first, chunks) };
}

/** Checks a picture as `openPicture` does and reads it through once, for its fingerprint. Nothing of it is kept. */
export async function inspectPicture(
	context: IExecuteFunctions,
	itemIndex: number,
	property: string,
	rules: PictureRules,
): Promise<PendingUpload> {
	const { bytes, chunks, fileName, mimeType } = await openPicture(context, itemIndex, property, rules);
	const fingerprint = createHash('sha256');
	for await (const chunk of chunks) fingerprint.update(chunk);
	return new PendingUpload(itemIndex, property, fileName, mimeType, bytes, fingerprint.digest('hex'));
}

/** The content of a picture that has been inspected, to be sent. */
export async function reopenPicture(context: IExecuteFunctions, pending: PendingUpload): Promise<FileSource> {
	return await openPicture(context, pending.itemIndex, pending.property, {
		field: pending.property,
		maxBytes: pending.bytes,
		types: [pending.mimeType],
	});
}
