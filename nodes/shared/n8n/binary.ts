import { createHash } from 'crypto';
import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';

import { isOpaque, pictureType } from '../api/uploads';
import type { FileSource, Pieces } from '../api/multipart';
import { isObject } from '../util/json';
import { itemError } from './nodeErrors';

/** A picture of an input item that stands in a request body in place of its URL, until it is uploaded. */
export class PendingUpload {
	constructor(
		readonly itemIndex: number,
		readonly property: string,
		readonly mimeType: string,
		readonly bytes: number,
		/** SHA-256 of the content: a second run recognizes it. */
		readonly fingerprint: string,
		/** Whether it is not uploaded, but stands in the body itself, as a data URI. */
		readonly isInline = false,
	) {}

	/** Stands for the picture when a body is compared with another. */
	toJSON(): string {
		return `binary:${this.fingerprint}`;
	}
}

interface BinaryPlace {
	context: IExecuteFunctions;
	itemIndex: number;
	property: string;
	/** Label of the field that names it. */
	field: string;
}

export interface PictureRules {
	maxBytes: number;
	types: readonly string[];
	needsAlpha?: boolean;
	isInline?: boolean;
}

/** Bytes that are read at once: in pieces of 64 KB a large file takes three times as long. */
const PIECE_BYTES = 1 << 20;

async function* piecesOf({ helpers }: IExecuteFunctions, id: string): AsyncGenerator<Buffer> {
	for await (const chunk of await helpers.getBinaryStream(id, PIECE_BYTES))
		yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
}

async function firstOf(pieces: Pieces): Promise<Buffer> {
	for await (const piece of pieces) return piece;
	return Buffer.alloc(0);
}

const refusal = (
	{ context, itemIndex, field }: BinaryPlace,
	reason: string,
	description?: string,
) => itemError(context.getNode(), `"${field}": ${reason}`, itemIndex, description);

/** Where an item has its files if the workflow's setting "Binary Mode" is "combined". */
const IN_JSON = '_files';

const isFile = (value: unknown): value is IBinaryData =>
	isObject(value) && typeof value.mimeType === 'string' && typeof value.data === 'string';

function fileIn({ context, itemIndex, property }: BinaryPlace): IBinaryData | undefined {
	const item = context.getInputData()[itemIndex];
	const own = item?.binary?.[property];
	if (own !== undefined || context.getWorkflowSettings().binaryMode !== 'combined') return own;
	const files = item?.json[IN_JSON];
	const name = property.startsWith(`${IN_JSON}.`) ? property.slice(IN_JSON.length + 1) : property;
	const file = isObject(files) ? files[name] : undefined;
	return isFile(file) ? file : undefined;
}

function missingFile({ context, itemIndex }: BinaryPlace): string {
	const item = context.getInputData()[itemIndex];
	const names = Object.keys(item?.binary ?? {}).map((name) => `"${name}"`);
	if (names.length > 0) return `Give the name of a field that it has: ${names.join(', ')}.`;
	if (item?.json.error !== undefined) return 'The item has an error in place of a file.';
	return 'The item has no file. A node before this one, such as Edit Fields, may have left it out; a tool of an AI agent never has one.';
}

/** Opens a file in an item's binary data, wherever n8n keeps it. Throws a `NodeOperationError` that names the item and the field. */
async function openBinary(place: BinaryPlace): Promise<FileSource> {
	const { property, context } = place;
	const data = fileIn(place);
	if (data === undefined) {
		throw refusal(
			place,
			`the input item has no binary data in the field "${property}"`,
			missingFile(place),
		);
	}
	const { id, mimeType } = data;
	// For a file without a name, many services say that no file was chosen.
	const fileName = data.fileName === '' ? property : (data.fileName ?? property);
	if (id === undefined) {
		const content = Buffer.from(data.data, 'base64');
		return { fileName, mimeType, bytes: content.length, open: () => [content] };
	}
	const { fileSize: bytes } = await context.helpers.getBinaryMetadata(id);
	return { fileName, mimeType, bytes, open: () => piecesOf(context, id) };
}

/** Opens a picture within the rules, its type by its first bytes. Throws a `NodeOperationError` that names the item and the field. */
export async function openPicture(place: BinaryPlace, rules: PictureRules): Promise<FileSource> {
	const { bytes, open, fileName } = await openBinary(place);
	const refuse = (reason: string, description?: string) =>
		refusal(place, `the file in "${place.property}" ${reason}`, description);
	if (bytes > rules.maxBytes)
		throw refuse(`has ${bytes} bytes, and ${rules.maxBytes} are the limit`);
	const start = await firstOf(open());
	const mimeType = pictureType(start);
	if (mimeType === undefined || !rules.types.includes(mimeType)) {
		const allowed = rules.types.map((name) => name.replace('image/', '')).join(', ');
		throw refuse(
			'is not a picture that the service accepts',
			`Its content must be one of ${allowed}, whatever its name says.`,
		);
	}
	if (rules.needsAlpha && isOpaque(start))
		throw refuse('has no alpha channel', 'A mask is transparent in parts, such as a PNG can be.');
	return { bytes, mimeType, fileName, open };
}

/** Reads a file once, for its fingerprint. Keeps nothing of its content. */
async function inspect(
	{ itemIndex, property }: BinaryPlace,
	{ open, mimeType }: FileSource,
	isInline?: boolean,
): Promise<PendingUpload> {
	const hash = createHash('sha256');
	let bytes = 0;
	for await (const piece of open()) {
		bytes += piece.length;
		hash.update(piece);
	}
	const fingerprint = hash.digest('hex');
	return new PendingUpload(itemIndex, property, mimeType, bytes, fingerprint, isInline);
}

/** Checks a picture as `openPicture` does, and reads it once. */
export const inspectPicture = async (place: BinaryPlace, rules: PictureRules) =>
	await inspect(place, await openPicture(place, rules), rules.isInline);

export async function inspectFile(place: BinaryPlace): Promise<PendingUpload> {
	const file = await inspect(place, await openBinary(place));
	if (file.bytes === 0) throw refusal(place, `the file in "${place.property}" is empty`);
	return file;
}

export async function readWhole(pieces: Pieces): Promise<Buffer> {
	const read: Buffer[] = [];
	for await (const piece of pieces) read.push(piece);
	return Buffer.concat(read);
}

export async function reopenFile(
	context: IExecuteFunctions,
	{ itemIndex, property, mimeType }: Pick<PendingUpload, 'itemIndex' | 'property' | 'mimeType'>,
): Promise<FileSource> {
	return { ...(await openBinary({ context, itemIndex, property, field: property })), mimeType };
}
