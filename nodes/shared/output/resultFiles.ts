import { LINK_LIFETIME_HOURS, type TaskFamily } from '../api/family';
import { gridRecord, imageResult, musicResult, type TaskRecord } from '../api/records';

export const RESULT_KINDS = ['audio', 'image', 'grid', 'video'] as const;

export type ResultKind = (typeof RESULT_KINDS)[number];

/** One file that a task has made. */
export interface ResultFile {
	/** From 1, as the API's `audio_index` and `index` are; 0 is the grid picture that holds the other four. */
	index: number;
	kind: ResultKind;
	url: string;
	/** When the link dies, as an ISO date; `null` where the service does not say. */
	expiresAt: string | null;
	/** The record's own name for the file, where its place in the record is not in the spec. */
	name?: string;
}

const HOUR_MS = 3_600_000;

const KIND_OF_FAMILY: Record<TaskFamily, ResultKind> = {
	music: 'audio',
	image: 'image',
	grid: 'image',
	video: 'video',
};

const KIND_OF_EXTENSION: Array<[RegExp, ResultKind]> = [
	[/\.(mp3|wav|m4a|flac|ogg|aac)$/i, 'audio'],
	[/\.(png|jpe?g|webp|gif)$/i, 'image'],
	[/\.(mp4|mov|webm|m4v)$/i, 'video'],
];

interface FoundUrl {
	name: string;
	url: string;
}

function isUrl(value: string): boolean {
	return /^https?:\/\/\S+$/i.test(value);
}

/** Every http(s) address at any depth of `value`, in order, with the name of the field it stands in. */
export function findUrls(value: unknown, name = 'result'): FoundUrl[] {
	if (typeof value === 'string') return isUrl(value) ? [{ name, url: value }] : [];
	if (Array.isArray(value)) return value.flatMap((inner) => findUrls(inner, name));
	if (typeof value !== 'object' || value === null) return [];
	return Object.entries(value).flatMap(([key, inner]) => findUrls(inner, key));
}

function kindOf(url: string, family: TaskFamily): ResultKind {
	const path = url.split(/[?#]/, 1)[0] ?? '';
	return KIND_OF_EXTENSION.find(([extension]) => extension.test(path))?.[1] ?? KIND_OF_FAMILY[family];
}

const isoDate = (seconds: number | null | undefined) =>
	seconds === null || seconds === undefined ? null : new Date(seconds * 1_000).toISOString();

function imageFiles(record: TaskRecord): ResultFile[] | undefined {
	const read = imageResult.safeParse(record.result);
	if (!read.success) return undefined;
	return read.data.images.flatMap(({ url: urls, expires_at }) =>
		urls.map((url) => ({ index: 0, kind: 'image' as const, url, expiresAt: isoDate(expires_at) })),
	);
}

function musicFiles(record: TaskRecord): ResultFile[] | undefined {
	const read = musicResult.safeParse(record.result);
	if (!read.success) return undefined;
	return read.data.music.flatMap((track) => {
		const url = track.audio_url ?? findUrls(track)[0]?.url;
		return url === undefined ? [] : [{ index: 0, kind: 'audio' as const, url, expiresAt: null }];
	});
}

/** The grid is result 0; the pictures that `index` 1 to 4 names are results 1 to 4 (spec §4). */
function gridFiles(record: TaskRecord): ResultFile[] | undefined {
	const read = gridRecord.safeParse(record);
	if (!read.success || (!read.data.grid_image_url && !read.data.image_urls)) return undefined;
	const pictures = (read.data.image_urls ?? []).map((url, at) => ({
		index: at + 1,
		kind: 'image' as const,
		url,
		expiresAt: null,
	}));
	const grid = read.data.grid_image_url;
	return grid ? [{ index: 0, kind: 'grid', url: grid, expiresAt: null }, ...pictures] : pictures;
}

/** Files whose fields the spec does not name: every address in `result`, else any at the top of the record. */
function unnamedFiles(record: TaskRecord, family: TaskFamily, now: number): ResultFile[] {
	const inResult = findUrls(record.result);
	const found = inResult.length > 0 ? inResult : findUrls(record);
	const expiresAt =
		family === 'video' && found.length > 0
			? new Date(
					(record.completed ? record.completed * 1_000 : now) + LINK_LIFETIME_HOURS.video * HOUR_MS,
				).toISOString()
			: null;
	return found.map(({ name, url }) => ({ index: 0, kind: kindOf(url, family), url, expiresAt, name }));
}

/** The files of a task in the order in which the API counts them. `now` in milliseconds. */
export function resultFiles(record: TaskRecord, family: TaskFamily, now: number): ResultFile[] {
	const grid = gridFiles(record);
	if (grid) return grid;
	const files = imageFiles(record) ?? musicFiles(record) ?? unnamedFiles(record, family, now);
	return files.map((file, at) => ({ ...file, index: at + 1 }));
}
