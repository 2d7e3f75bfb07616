import { EXTENSION_OF_TYPE, MEDIA_EXTENSION, TYPE_OF_EXTENSION } from './mediaTypes';
import type { ResultFile } from './resultFiles';
import type { Task } from './task';

/** What a server says if it does not know a file's type, such as storage that was never given one. */
const UNKNOWN_TYPE = 'application/octet-stream';
const UNKNOWN_TYPES = new Set([
	UNKNOWN_TYPE,
	'binary/octet-stream',
	'application/x-download',
	'application/force-download',
]);

const URL_EXTENSION = /\.([a-z0-9]{2,5})$/i;

/** Names that Windows reserves for devices. */
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** In bytes: file systems allow 255, and a number and the extension follow. */
const LONGEST_NAME = 150;

/** In bytes: what follows the user's own name, such as a stem's. */
const LONGEST_ENDING = 60;

/** The longest beginning of a name, in whole characters, of at most so many bytes. */
const cut = (name: string, most: number) =>
	name.slice(0, new TextEncoder().encodeInto(name, new Uint8Array(most)).read);

/** A name that every file system accepts, without a media extension: that comes from the content type. */
function safeName(name: string, most = LONGEST_NAME): string {
	const clean = name
		.replace(MEDIA_EXTENSION, '')
		.replace(/[\\/:*?"<>|\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu, '_');
	const safe = cut(clean, most).replace(/^[.\s]+|[.\s]+$/g, '');
	return safe === '' || RESERVED.test(safe) ? `_${safe}` : safe;
}

const GRID = 'grid';

/** File systems treat names that differ only in case, or in the way an accent is written, as the same. */
const comparable = (name: string) => name.normalize('NFC').toLowerCase();

/** The extension of a name, if it is one of this kind of file; with its dot. */
function extensionOf(name: string, kind: string): string {
	const [ending = '', extension = ''] = MEDIA_EXTENSION.exec(name) ?? [];
	return TYPE_OF_EXTENSION.get(extension.toLowerCase())?.startsWith(kind) ? ending : '';
}

/** Gives every file of a run a name of its own, with an extension only where the user or the service gave one. */
export class FileNames {
	private readonly used = new Map<string, number>();

	/** The names for a task's files, in their order. `wanted` is the user's own name. */
	namesFor(task: Task, wanted: string | undefined): string[] {
		const isGrid = task.results.some(({ name }) => name === GRID);
		const isAlone = task.results.length === 1;
		return task.results.map((file, at) => {
			const name = wanted ?? defaultName(task, file, at);
			const ending = wanted === undefined ? '' : endingOf(file, at, isGrid, isAlone);
			return this.unique(safeName(name) + ending) + extensionOf(name, file.kind);
		});
	}

	private unique(name: string): string {
		const key = comparable(name);
		let number = this.used.get(key) ?? 0;
		let candidate: string;
		do candidate = ++number === 1 ? name : `${name}-${number}`;
		while (this.used.has(comparable(candidate)));
		this.used.set(comparable(candidate), 1).set(key, number);
		return candidate;
	}
}

/** What follows the user's own name: a name at the service, such as a stem's, else the number of a file after the first. */
function endingOf({ name, index }: ResultFile, at: number, isGrid: boolean, isAlone: boolean) {
	if (name !== null && (name !== GRID || !isAlone)) return `-${safeName(name, LONGEST_ENDING)}`;
	if (isGrid && index !== null) return `-${index}`;
	return at === 0 ? '' : `-${at + 1}`;
}

function defaultName({ taskId, family }: Task, { name, index }: ResultFile, at: number): string {
	if (name !== null && name !== GRID) return name;
	return [family ?? 'task', taskId, name ?? index ?? at + 1].join('-');
}

export const isData = (url: string) => /^data:/i.test(url);

/** A content type without its parameters, in lower case and under its usual name. */
export function toMimeType(contentType: unknown): string | undefined {
	if (typeof contentType !== 'string') return undefined;
	const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
	const usual = TYPE_OF_EXTENSION.get(EXTENSION_OF_TYPE.get(type) ?? '');
	return type === '' ? undefined : (usual ?? type);
}

const extensionIn = (url: string) =>
	isData(url) ? undefined : URL_EXTENSION.exec(new URL(url).pathname)?.[1];

/** The type of a file behind a link: as its server says; by the link, else by its name, if the server does not know. `undefined` leaves it to n8n. */
export function linkedType(contentType: unknown, url: string, name: string): string | undefined {
	const stated = toMimeType(contentType);
	if (stated !== undefined && !UNKNOWN_TYPES.has(stated)) return stated;
	const extension = (extensionIn(url) ?? MEDIA_EXTENSION.exec(name)?.[1])?.toLowerCase();
	return extension === undefined ? UNKNOWN_TYPE : (TYPE_OF_EXTENSION.get(extension) ?? stated);
}

/** A file's name with its extension: by the content type, else by the link, else its own. */
export function withExtension(name: string, mimeType: string | undefined, url: string): string {
	const extension = EXTENSION_OF_TYPE.get(mimeType ?? '') ?? extensionIn(url);
	return extension === undefined ? name : `${name.replace(MEDIA_EXTENSION, '')}.${extension}`;
}
