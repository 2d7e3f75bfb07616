import { LINK_LIFETIME_HOURS, type TaskFamily } from '../api/families';
import { type TaskRecord, toMilliseconds } from '../api/records';
import { isObject } from '../util/json';

export const RESULT_KINDS = ['audio', 'image', 'video'] as const;

export type ResultKind = (typeof RESULT_KINDS)[number];

/** One file that a task made. */
export interface ResultFile {
	/** The service's own number: a track's, or 1 to 4 for the pictures of a grid. Files without one continue the count. */
	index: number | null;
	kind: ResultKind;
	url: string;
	/** The service's own name, such as a stem's; `grid` for the picture that holds the other four. */
	name: string | null;
	/** When the link expires, as an ISO date. */
	expiresAt: string | null;
}

/** What is known of the request that a record answers, so that its own links do not count as results. */
export interface RequestLinks {
	/** Fields of the request that hold links. */
	fields: ReadonlySet<string>;
	urls: ReadonlySet<string>;
}

const HOUR_MS = 3_600_000;

const KIND_OF_FAMILY: Record<TaskFamily, ResultKind> = { music: 'audio', image: 'image', grid: 'image', video: 'video' };

const KIND_OF_EXTENSION: ReadonlyArray<readonly [RegExp, ResultKind]> = [
	[/\.(mp3|wav|m4a|flac|ogg|aac)$/i, 'audio'],
	[/\.(png|jpe?g|webp|gif|avif)$/i, 'image'],
	[/\.(mp4|mov|webm|m4v)$/i, 'video'],
];

const KIND_OF_FIELD: ReadonlyArray<readonly [RegExp, ResultKind]> = [
	[/audio/i, 'audio'],
	[/image|picture|cover|thumbnail/i, 'image'],
	[/video/i, 'video'],
];

/** Fields that a request can have. In a record whose request is not known they may repeat it. */
const REQUEST_FIELDS: ReadonlySet<string> = new Set([
	'image_urls',
	'mask_url',
	'image_with_roles',
	'video_list',
	'element_list',
	'multi_prompt',
	'metadata',
	'prompt',
	'request',
	'input',
	'params',
	'parameters',
]);

/** The address that the request asked to be called at the end, under whatever name a record repeats it. */
const CALLBACK_FIELD = /^(callback|notify|webhook)/i;

const GRID_ACTIONS = new Set(['IMAGINE', 'VARIATION', 'LOW_VARIATION', 'REROLL', 'UPSCALE', 'PAN']);

/** Words that name a kind of link, not a file. */
const GENERIC_NAMES = new Set(
	'url urls uri link links src href file files output outputs result results data audio audios image images picture pictures video videos music track tracks clip clips media download'.split(' '),
);

const isLink = (value: unknown): value is string => typeof value === 'string' && /^https?:\/\/\S+$/i.test(value);

/** Whether a record is a grid's: by what it holds, or because the node knows. */
export function isGridRecord({ raw, action }: TaskRecord, family: TaskFamily | null): boolean {
	return family === 'grid' || isLink(raw.grid_image_url) || (action !== undefined && GRID_ACTIONS.has(action.toUpperCase()));
}

function nameOf(field: string): string | null {
	const name = field.replace(/_?(urls?|links?|uri)$/i, '');
	return name === '' || GENERIC_NAMES.has(name.toLowerCase()) ? null : name;
}

function kindOf(url: string, field: string, family: TaskFamily | null): ResultKind {
	const path = url.split(/[?#]/, 1)[0] ?? '';
	const byExtension = KIND_OF_EXTENSION.find(([extension]) => extension.test(path))?.[1];
	const byField = KIND_OF_FIELD.find(([word]) => word.test(field))?.[1];
	return byExtension ?? byField ?? (family === null ? 'image' : KIND_OF_FAMILY[family]);
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]);

function isoDate(value: unknown): string | null {
	const ms = toMilliseconds(value);
	return ms === undefined ? null : new Date(ms).toISOString();
}

/** Where a link stands: its field, the name and the number of what is around it, and when it expires. */
interface Place {
	field: string;
	name: string | null;
	index?: number;
	expiresAt: string | null;
}

/** Collects links in order, each once, without those of the request. */
class Results {
	readonly files: ResultFile[] = [];

	private readonly seen: Set<string>;

	constructor(
		private readonly family: TaskFamily | null,
		requested: ReadonlySet<string>,
	) {
		this.seen = new Set(requested);
	}

	add(url: unknown, index: number | null, name: string | null, { field, expiresAt }: Pick<Place, 'field' | 'expiresAt'>): void {
		if (!isLink(url) || this.seen.has(url)) return;
		this.seen.add(url);
		this.files.push({ index, kind: kindOf(url, field, this.family), url, name, expiresAt });
	}

	/** Adds every link at any depth of `value`. */
	addAll(value: unknown, place: Place): void {
		if (isLink(value)) this.add(value, place.index ?? this.nextIndex(), nameOf(place.field) ?? place.name, place);
		else if (Array.isArray(value)) this.addList(value, place);
		// `"drums": { "url": … }`
		else if (isObject(value)) this.addFields(value, { ...place, name: nameOf(place.field) ?? place.name });
	}

	private addList(list: readonly unknown[], place: Place): void {
		list.forEach((inner, at) => {
			const own = place.field === 'music' ? { ...place, index: at + 1 } : place;
			// The field of a list names none of its objects.
			if (isObject(inner)) this.addFields(inner, own);
			else this.addAll(inner, own);
		});
	}

	private addFields(holder: Record<string, unknown>, place: Place): void {
		const expiresAt = isoDate(holder.expires_at) ?? place.expiresAt;
		// `{ "name": "drums", "url": … }`
		const name = typeof holder.name === 'string' && holder.name.trim() !== '' ? holder.name.trim() : place.name;
		for (const [field, inner] of Object.entries(holder)) this.addAll(inner, { ...place, field, name, expiresAt });
	}

	/** The number after the highest so far. The pictures of a grid are numbered by the service alone. */
	private nextIndex(): number | null {
		if (this.family === 'grid') return null;
		return this.files.reduce((highest, { index }) => Math.max(highest, index ?? 0), 0) + 1;
	}
}

/** `result.images[].url[]` (spec, Image task record). An entry without a link keeps its number. */
function addImages(results: Results, { raw }: TaskRecord): void {
	let index = 0;
	for (const image of isObject(raw.result) ? listOf(raw.result.images) : []) {
		const urls = isObject(image) ? listOf(image.url) : [];
		const expiresAt = isObject(image) ? isoDate(image.expires_at) : null;
		urls.forEach((url, at) => results.add(url, index + at + 1, null, { field: 'image', expiresAt }));
		index += Math.max(1, urls.length);
	}
}

/** `result.music[].audio_url` (spec, Music task). A track without a link keeps its number. */
function addTracks(results: Results, { raw }: TaskRecord): void {
	const tracks = isObject(raw.result) ? listOf(raw.result.music) : [];
	tracks.forEach((track, at) => {
		if (isObject(track)) results.add(track.audio_url, at + 1, null, { field: 'audio', expiresAt: isoDate(track.expires_at) });
	});
}

/** `grid_image_url` and the four `image_urls` (spec, Grid-image task), beside or inside `result`. */
function addGrid(results: Results, { raw }: TaskRecord): void {
	for (const holder of [raw, raw.result]) {
		if (!isObject(holder)) continue;
		const place = { field: 'image', expiresAt: isoDate(holder.expires_at) };
		results.add(holder.grid_image_url, null, 'grid', place);
		listOf(holder.image_urls).forEach((url, at) => results.add(url, at + 1, null, place));
	}
}

/**
 * The files of a task: those in the documented place of its family first, then every other link in `result`, then in the rest
 * of the record. Each link comes once; links of the request are left out.
 *
 * @param request the request's own links; without it, fields that a request can have are left out
 * @param now milliseconds since 1970, for families that state a lifetime but send no date
 */
export function resultFiles(
	record: TaskRecord,
	family: TaskFamily | null,
	now: number,
	request?: RequestLinks,
): ResultFile[] {
	const results = new Results(family, request?.urls ?? new Set());
	if (isGridRecord(record, family)) addGrid(results, record);
	const byFamily = family === 'music' ? [addTracks, addImages] : [addImages, addTracks];
	for (const add of byFamily) add(results, record);

	const lifetimeMs = LINK_LIFETIME_HOURS.video * HOUR_MS;
	const expiresAt = family === 'video' ? new Date((record.completed ?? now) + lifetimeMs).toISOString() : null;
	results.addAll(record.raw.result, { field: 'result', name: null, expiresAt });
	const repeated = request?.fields ?? REQUEST_FIELDS;
	for (const [field, value] of Object.entries(record.raw)) {
		if (field !== 'result' && !repeated.has(field) && !CALLBACK_FIELD.test(field)) results.addAll(value, { field, name: null, expiresAt });
	}
	return results.files;
}

/** Collects the links of a request body, at any depth. */
export function requestLinksOf(body: Record<string, unknown>): RequestLinks {
	const urls = new Set<string>();
	const collect = (value: unknown): boolean => {
		if (isLink(value)) urls.add(value);
		const inner = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
		// Every part is visited: `some` would stop at the first link.
		return inner.map(collect).includes(true) || isLink(value);
	};
	const fields = Object.entries(body).flatMap(([field, value]) => (collect(value) ? [field] : []));
	return { fields: new Set(fields), urls };
}
