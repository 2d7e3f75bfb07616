import { createHash } from 'crypto';
import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';

import { pictureType } from '../api/image';
import type { FileSource } from '../api/multipart';
import { itemError } from './nodeErrors';

/** A picture of an input item that stands in a request body in place of its URL, until it is uploaded. */
export class PendingUpload {
	constructor(
		/** Index of the input item that holds the file. */
		readonly itemIndex: number,
		/** Name of the item's binary property. */
		readonly property: string,
		readonly fileName: string,
		readonly mimeType: string,
		readonly bytes: number,
		/** SHA-256 of the content: a second run recognizes it. */
		readonly fingerprint: string,
	) {}

	/** Stands for the picture when a body is compared with another. */
	toJSON(): string {
		return `binary:${this.fingerprint}`;
	}
}

/** Limits of one picture. */
export interface PictureRules {
	/** Label of the field that names the binary property. */
	field: string;
	maxBytes: number;
	/** Accepted MIME types. */
	types: readonly string[];
}

/** Splits "data, mask" into the names of the binary properties it lists. What is empty beside a comma stays. */
export function splitNames(names: unknown): string[] {
	const list: unknown[] = Array.isArray(names) ? names : [names];
	return list
		.flatMap((name) => (typeof name === 'string' ? name.split(',') : ['']))
		.map((name) => name.trim());
}

/** Bytes that are read at once: in pieces of 64 KB a large file takes three times as long. */
const PIECE_BYTES = 1 << 20;

interface StoredFile {
	bytes: number;
	chunks: AsyncIterator<Buffer>;
}

async function* buffers(source: AsyncIterable<Buffer | string> | Buffer[]): AsyncGenerator<Buffer> {
	for await (const chunk of source) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
}

/** Opens a binary field, wherever n8n keeps it, without reading the whole file into memory. */
async function openStored(
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
	const stream = await context.helpers.getBinaryStream(data.id, PIECE_BYTES);
	return { bytes: fileSize, chunks: buffers(stream) };
}

async function* rejoin(first: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
	yield first;
	for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

const refusal = (
	context: IExecuteFunctions,
	itemIndex: number,
	field: string,
	reason: string,
	description?: string,
) => itemError(context.getNode(), `"${field}": ${reason}`, itemIndex, description);

/** Opens a file in an item's binary data. Throws a `NodeOperationError` that names the item and the field. */
async function openBinary(
	context: IExecuteFunctions,
	itemIndex: number,
	property: string,
	field: string,
) {
	const data = context.getInputData()[itemIndex]?.binary?.[property];
	if (data === undefined) {
		throw refusal(
			context,
			itemIndex,
			field,
			`the input item has no binary data in the field "${property}"`,
			'Give the name of a field that the "Binary" tab of the input shows.',
		);
	}
	const file = await openStored(context, itemIndex, property, data);
	return { ...file, fileName: data.fileName ?? property, mimeType: data.mimeType };
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
	const { bytes, chunks, fileName } = await openBinary(context, itemIndex, property, rules.field);
	if (bytes > rules.maxBytes) {
		await chunks.return?.();
		throw refusal(
			context,
			itemIndex,
			rules.field,
			`the file in "${property}" has ${bytes} bytes, and ${rules.maxBytes} are the limit`,
		);
	}
	const start = await chunks.next();
	const first = start.done ? Buffer.alloc(0) : start.value;
	const mimeType = pictureType(first);
	if (mimeType === undefined || !rules.types.includes(mimeType)) {
		await chunks.return?.();
		const allowed = rules.types.map((name) => name.replace('image/', '')).join(', ');
		throw refusal(
			context,
			itemIndex,
			rules.field,
			`the file in "${property}" is not a picture that the service accepts`,
			`Its content must be one of ${allowed}, whatever its name says.`,
		);
	}
	return { bytes, mimeType, fileName, chunks: rejoin(first, chunks) };
}

async function fingerprintOf(chunks: AsyncIterable<Buffer>): Promise<string> {
	const hash = createHash('sha256');
	for await (const chunk of chunks) hash.update(chunk);
	return hash.digest('hex');
}

/** Checks a picture as `openPicture` does and reads it once, for its fingerprint. Keeps nothing of its content. */
export async function inspectPicture(
	context: IExecuteFunctions,
	itemIndex: number,
	property: string,
	rules: PictureRules,
): Promise<PendingUpload> {
	const { bytes, chunks, fileName, mimeType } = await openPicture(
		context,
		itemIndex,
		property,
		rules,
	);
	return new PendingUpload(
		itemIndex,
		property,
		fileName,
		mimeType,
		bytes,
		await fingerprintOf(chunks),
	);
}

/** The same for a file of any type. `field` is the label of the field that names the binary property. */
export async function inspectFile(
	context: IExecuteFunctions,
	itemIndex: number,
	property: string,
	field: string,
): Promise<PendingUpload> {
	const { bytes, chunks, fileName, mimeType } = await openBinary(
		context,
		itemIndex,
		property,
		field,
	);
	if (bytes === 0) throw refusal(context, itemIndex, field, `the file in "${property}" is empty`);
	const fingerprint = await fingerprintOf(rejoin(Buffer.alloc(0), chunks));
	return new PendingUpload(itemIndex, property, fileName, mimeType, bytes, fingerprint);
}

/** Opens the content of an inspected file, to be sent. */
export async function reopenFile(
	context: IExecuteFunctions,
	pending: PendingUpload,
): Promise<FileSource> {
	const { itemIndex, property, mimeType, fileName } = pending;
	const { bytes, chunks } = await openBinary(context, itemIndex, property, property);
	return { bytes, mimeType, fileName, chunks: rejoin(Buffer.alloc(0), chunks) };
}
