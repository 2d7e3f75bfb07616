import type { ResultFile } from './resultFiles';
import type { Task } from './task';

const EXTENSION_OF_TYPE: Record<string, string> = {
	'audio/aac': 'aac',
	'audio/flac': 'flac',
	'audio/mp4': 'm4a',
	'audio/mpeg': 'mp3',
	'audio/ogg': 'ogg',
	'audio/wav': 'wav',
	'audio/x-wav': 'wav',
	'image/gif': 'gif',
	'image/jpeg': 'jpg',
	'image/png': 'png',
	'image/webp': 'webp',
	'video/mp4': 'mp4',
	'video/quicktime': 'mov',
	'video/webm': 'webm',
};

const MEDIA_EXTENSION = /\.(aac|flac|m4a|mp3|ogg|wav|gif|jpe?g|png|webp|mp4|mov|webm)$/i;

const URL_EXTENSION = /\.([a-z0-9]{2,5})$/i;

/** Names that Windows reserves for devices. */
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)$/i;

const LONGEST_NAME = 150;

/** A name that every file system accepts, without a media extension: that comes from the content type. */
function safeName(name: string): string {
	const safe = name
		.replace(MEDIA_EXTENSION, '')
		.replace(/[\\/:*?"<>|\p{Cc}]+/gu, '_')
		.slice(0, LONGEST_NAME)
		.replace(/^[.\s]+|[.\s]+$/g, '');
	return safe === '' || RESERVED.test(safe) ? `_${safe}` : safe;
}

/** Gives every file of a run a name of its own, without its extension. Case does not tell names apart. */
export class FileNames {
	private readonly used = new Map<string, number>();

	/** The names for a task's files, in their order. `wanted` is the user's own name. */
	namesFor(task: Task, wanted: string | undefined): string[] {
		return task.results.map((file, at) => {
			if (wanted === undefined) return this.unique(safeName(defaultName(task, file, at)));
			return this.unique(safeName(wanted) + (at === 0 ? '' : `-${at + 1}`));
		});
	}

	private unique(name: string): string {
		const key = name.toLowerCase();
		let number = this.used.get(key) ?? 0;
		if (number === 0) {
			this.used.set(key, 1);
			return name;
		}
		let candidate: string;
		do candidate = `${name}-${++number}`;
		while (this.used.has(candidate.toLowerCase()));
		this.used.set(key, number).set(candidate.toLowerCase(), 1);
		return candidate;
	}
}

function defaultName({ taskId, family }: Task, { name, index }: ResultFile, at: number): string {
	if (name !== null && name !== 'grid') return name;
	return [family ?? 'task', taskId, name ?? index ?? at + 1].join('-');
}

/** A file's name with its extension: by the content type, else by the link. */
export function withExtension(name: string, mimeType: string | undefined, url: string): string {
	const inPath = URL_EXTENSION.exec(new URL(url).pathname)?.[1];
	const extension = (mimeType === undefined ? undefined : EXTENSION_OF_TYPE[mimeType]) ?? inPath;
	return extension === undefined ? name : `${name}.${extension}`;
}
