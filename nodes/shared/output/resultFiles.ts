import { isWholeLink, linkShape, resolveLink } from '../api/address';
import {
	FAMILIES,
	type FieldPlace,
	isGridRecord,
	type ListPlace,
	RESULT_KINDS,
	type ResultKind,
	TASK_FAMILIES,
	type TaskFamily,
} from '../api/families';
import { type TaskRecord, toMilliseconds } from '../api/records';
import { HOUR_MS } from '../util/clock';
import { isObject, isText, objectOf, parseJson } from '../util/json';
import { toApiName, toCamelCase } from '../util/names';
import { parseWebUrl } from '../util/schema';
import { z } from '../util/vendor/zod';
import { MEDIA_EXTENSION, TYPE_OF_EXTENSION } from './mediaTypes';

export const resultShape = z.object({
	/** The service's own number: a track's, or 1 to 4 for the pictures of a grid. Files without one continue the count. */
	index: z.number().nullable(),
	kind: z.enum(RESULT_KINDS),
	url: z.string(),
	/** The service's own name, such as a stem's; `grid` for the picture that holds the other four. */
	name: z.string().nullable(),
	/** When the link expires, as an ISO date. */
	expiresAt: z.string().nullable(),
});

/** With what stands beside the link, such as `title`, `duration` or `stemType`. */
export type ResultFile = z.infer<typeof resultShape> & { [beside: string]: unknown };

export const besideTaskShape = z.object({
	reference: z.string().optional(),
	referenceVerified: z.boolean().optional(),
	purchaseKey: z.string().optional(),
	reused: z.boolean().optional(),
	notes: z.array(z.string()).optional(),
	input: z.record(z.unknown()).optional(),
});

/** What is known of the request that a record answers. Its own links do not count as results. */
export interface SentRequest {
	/** Fields of the request that hold links. */
	fields: ReadonlySet<string>;
	urls: ReadonlySet<string>;
	/** How many files it asks for, where it says so. */
	count?: number;
	/** Whether it builds on a task. */
	namesTask?: boolean;
}

const KIND_WORDS =
	/(?<audio>audio)|(?<image>image|picture|cover|thumbnail|frame)|(?<video>video)/gi;

/** Fields that a request can have. In a record whose request is not known they may repeat it. */
export const REQUEST_FIELDS = new Set([
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

/** How a record that builds on something else names that, which the service may have stored again under another link. */
const SOURCES = 'origin|original|source|input|parent|reference';
const SOURCE_NAME = new RegExp(`^(?:${SOURCES})s?(?![a-z])`);

/** A lesser copy of a file: next to it, an original is the better one. */
const PREVIEW_NAME = /preview|thumb|small|compressed|watermark/i;

/** Fields of what a task was made from, of a preview of what it made, of a cover, and of a frame. */
const LESSER_NAME = new RegExp(
	`^(?:(?:${SOURCES}|preview|thumb|thumbnail)(?:Audio|Image|Picture|Song|Track|Video)?|(?:cover|poster|firstFrame|lastFrame)(?:Image|Picture)?)$`,
);

/** The kinds of what a family makes. A picture of an unknown family may be a cover. */
export const kindsOf = (family: TaskFamily | null): ResultKind[] =>
	family === null ? ['audio', 'video'] : [FAMILIES[family].kind];

/** Whether a file is, by its name, a preview, a cover, or what the task was made from. */
export const isLesser = ({ name }: Pick<ResultFile, 'name'>): boolean =>
	LESSER_NAME.test(toCamelCase(name ?? ''));

/** The names and endings of links to a text about a result, such as the lyrics of a song. */
const TEXT_NAME = /(?:^|_)(?:lyrics?|subtitles?|captions?|transcript|srt|score|text|json|xml)$/i;
const TEXT_ENDING = /\.(?:csv|json|lrc|srt|txt|vtt|xml)$/i;

/** Names of links that may be there before the song. */
export const BESIDE_A_SONG = /stream|demo|sample|snippet|teaser|karaoke|lyric|lrc|midi|waveform/i;

const isTextName = (name: string | null) => TEXT_NAME.test(toApiName(name ?? ''));

export function isTextLink({ name, url }: Pick<ResultFile, 'name' | 'url'>): boolean {
	if (DATA_URL.test(url)) return false;
	const path = parseWebUrl(url)?.pathname ?? '';
	return TEXT_ENDING.test(path) || (isTextName(name) && !MEDIA_EXTENSION.test(path));
}

/** The callback address of the request, under whatever name a record repeats it. */
const CALLBACK_FIELD = /^(callback|notify|webhook)/i;

/** A word that names a kind of link, not a file. */
const GENERIC_NAME =
	/^(?:urls?|uri|links?|src|href|files?|outputs?|results?|data|audios?|images?|pictures?|videos?|music|tracks?|clips?|media|download)$/i;

const NUMBERED_LISTS = new Set(
	TASK_FAMILIES.flatMap((family) => {
		const place = FAMILIES[family].results;
		return place && 'list' in place && place.numbered === 'entries' ? [place.list] : [];
	}),
);

/** Fields of an address of the service's API, without their ending: `urls.get`, `status_url`. */
const API_NAME =
	/^(?:get|cancel|self|next|stream|status|poll|polling|query|response|detail|details|web|page|share|docs?|dashboard|console)$|(?:^|_)(?:api|endpoint)$/i;

const LINK_ENDING = /_?(urls?|links?|uri)$/i;

/** Fields whose text may look like a path but is not one. */
const NO_LINK = /(?:path|name|title|prompt|text|tags|id)$/i;

const DATA_URL = /^data:(?:audio|image|video)\/[\w.+-]+(?:;[^,]*)?,/i;

const CONTENT_FIELD = /^(?:data|content|bytes)$|b64|base64/i;

/** How the base64 of some types begins. */
const TYPE_OF_BASE64: ReadonlyArray<readonly [beginning: string, type: string]> = [
	['iVBORw0KGgo', 'image/png'],
	['/9j/', 'image/jpeg'],
	['R0lGOD', 'image/gif'],
	['SUQz', 'audio/mpeg'],
];

const TYPE_FIELDS = ['mime_type', 'mimeType', 'content_type', 'contentType', 'media_type', 'type'];

/** Fields that are named after what they hold: `audio_url`. */
const NAMES_KIND = /(?:audio|cover|frame|thumbnail|video)s?$/i;

function nameOf(field: string): string | null {
	const name = field.replace(LINK_ENDING, '');
	return name === '' || GENERIC_NAME.test(name) ? null : name;
}

const isLinkField = (field: string): boolean => LINK_ENDING.test(field) || GENERIC_NAME.test(field);

/** The kind that the last word in a field's name says: `image_to_video_url` is a video. */
function kindOfField(field: string): ResultKind | undefined {
	const said = [...field.matchAll(KIND_WORDS)].at(-1)?.groups;
	return RESULT_KINDS.find((kind) => said?.[kind] !== undefined);
}

/** Whether a field is for a link to what a task makes, and not to a cover, a preview, a text or what the task was made from. */
export const isMainLinkField = (field: string, kind: ResultKind): boolean =>
	isLinkField(field) &&
	!isLesser({ name: field.replace(LINK_ENDING, '') }) &&
	!isTextName(field.replace(LINK_ENDING, '')) &&
	[undefined, kind].includes(kindOfField(field));

function kindByExtension(link: string): ResultKind | undefined {
	const [, extension = ''] = MEDIA_EXTENSION.exec(link.split(/[?#]/, 1)[0] ?? '') ?? [];
	const type = TYPE_OF_EXTENSION.get(extension.toLowerCase());
	return RESULT_KINDS.find((kind) => type?.startsWith(kind));
}

/** The kind of a file by its field or its link; `undefined` where neither says it. */
function kindOf(url: string, field: string): ResultKind | undefined {
	if (DATA_URL.test(url))
		return RESULT_KINDS.find((kind) => url.slice('data:'.length).toLowerCase().startsWith(kind));
	const said = kindOfField(field);
	// Sound may come as `.mp4`, a video as `.webp`, and a cover from the address of a video. A `video_poster` is no video.
	return NAMES_KIND.test(field.replace(LINK_ENDING, '')) ? said : (kindByExtension(url) ?? said);
}

const listOf = (value: unknown): unknown[] =>
	Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];

function isoDate(value: unknown): string | null {
	const ms = toMilliseconds(value);
	return ms === undefined ? null : new Date(ms).toISOString();
}

/** Most fields of a record are numbers. */
const mayHoldLinks = (value: unknown): boolean =>
	typeof value === 'string' || (typeof value === 'object' && value !== null);

/** Parses a result that is JSON in a text. */
function unpacked(value: unknown): unknown {
	if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
	return parseJson(value) ?? value;
}

/** A file that stands in the record itself, as a data URL. */
function contentOf(
	value: string,
	field: string,
	holder: Record<string, unknown>,
): string | undefined {
	if (DATA_URL.test(value)) return value;
	if (!CONTENT_FIELD.test(field) || value.length < 16 || !/^[\w+/=\s-]+$/.test(value))
		return undefined;
	const stated = TYPE_FIELDS.map((name) => holder[name]).find(
		(type): type is string => isText(type) && /^(?:audio|image|video)\/[\w.+-]+$/i.test(type),
	);
	const type = stated ?? TYPE_OF_BASE64.find(([beginning]) => value.startsWith(beginning))?.[1];
	return type === undefined ? undefined : `data:${type};base64,${value}`;
}

/** The full link in a text, if the text is a link in this field. */
function linkOf(value: string, field: string, baseUrl: string): string | undefined {
	if (API_NAME.test(field.replace(LINK_ENDING, ''))) return undefined;
	if (isWholeLink(value)) return value;
	const shape = NO_LINK.test(field) ? undefined : linkShape(value);
	const hasExtension = kindByExtension(value.trim()) !== undefined;
	const isMeant = isLinkField(field)
		? shape === 'link' || shape === 'path' || (shape === 'name' && hasExtension)
		: shape === 'path' && hasExtension;
	// `see https://…`
	return isMeant && value.lastIndexOf('://') <= value.search(/\S/) + 5
		? resolveLink(value, baseUrl)
		: undefined;
}

/** A longer text is not a label of a file: it would be repeated for each link beside it. */
const LONGEST_LABEL = 500;
const MAX_LABELS = 20;

/** Names that a label never has: those of a file, of its download, and of its item. An item with `error` makes n8n run the node again. */
const RESERVED = new Set([
	...Object.keys(resultShape.shape),
	...Object.keys(besideTaskShape.shape),
	...['fileName', 'mimeType', 'fileSize', 'error', 'record', 'task'],
]);

function besideLinks(holder: Record<string, unknown>, baseUrl: string): Record<string, unknown> {
	const isLabel = ([field, value]: [string, unknown]) =>
		typeof value === 'number' ||
		typeof value === 'boolean' ||
		(isText(value) &&
			value.length <= LONGEST_LABEL &&
			!LINK_ENDING.test(field) &&
			linkOf(value, field, baseUrl) === undefined);
	const labels = Object.entries(holder)
		.filter(isLabel)
		.map(([field, value]) => [toCamelCase(field), value] as const);
	return Object.fromEntries(labels.filter(([field]) => !RESERVED.has(field)).slice(0, MAX_LABELS));
}

/** The name of what an object holds: a stem's type, or its own. */
function nameBeside(holder: Record<string, unknown>): string | undefined {
	return [holder.stem_type, holder.stemType, holder.stem, holder.name].find(isText)?.trim();
}

/** Where a link stands: its field, the name and the number of what is around it, when it expires, and the object that holds it. */
interface Place {
	field: string;
	name: string | null;
	isFieldName?: boolean;
	index?: number | null;
	expiresAt: string | null;
	holder: Record<string, unknown>;
}

/** A link of a place, with what stands beside it. Without a number it gets one in the end. */
interface FoundFile extends Omit<Place, 'field' | 'holder'>, Pick<ResultFile, 'kind' | 'url'> {
	/** Whether nothing says the kind: it counts as the family's own. */
	isOfUnknownKind: boolean;
	beside: Record<string, unknown>;
}

/** The field that a documented link counts as, and when it expires where its record does not say. */
type Base = Pick<Place, 'field' | 'expiresAt'>;

/** Collects links in order, each once, without those of the request. */
class Results {
	/** Whether files of another kind than the family's are left out from now on. */
	isOwnKindOnly = false;

	private readonly found: FoundFile[] = [];
	private readonly seen: Set<string>;

	/** Whether the task was made from something; `undefined` if its request is not known. */
	private readonly hasSource: boolean | undefined;
	private readonly labels = new Map<object, Record<string, unknown>>();

	constructor(
		private readonly family: TaskFamily | null,
		private readonly isGrid: boolean,
		private readonly baseUrl: string,
		request: SentRequest | undefined,
	) {
		this.seen = new Set(request?.urls);
		this.hasSource = request && (request.namesTask === true || request.urls.size > 0);
	}

	get isEmpty(): boolean {
		return this.found.length === 0;
	}

	/** Whether there is a file of the kind that the family makes, and not only a cover of one. */
	get hasOwnKind(): boolean {
		return this.found.some(this.isMain);
	}

	private readonly isMain = ({ kind }: FoundFile): boolean =>
		kindsOf(this.isGrid ? 'grid' : this.family).includes(kind);

	/** Whether this is what the task was made from: `original_video_url`. */
	private readonly isSource = ({ name, isFieldName }: FoundFile): boolean =>
		this.hasSource !== false && isFieldName === true && SOURCE_NAME.test(toCamelCase(name ?? ''));

	/** Whether this is surely what the task has made. If its request is not known, the original may be the better one of two files. */
	private readonly isNew = ({ name }: FoundFile): boolean =>
		this.hasSource === undefined ? name === null : !PREVIEW_NAME.test(name ?? '');

	/** The family's own kind first: a video before its original and its cover. In an unknown family, pictures come after the other files. */
	get files(): ResultFile[] {
		const main = this.found.filter(this.isMain);
		const others = main.filter((file) => !this.isSource(file));
		const isMade = others.some(this.isNew);
		const isPreview = ({ name, isFieldName }: FoundFile) =>
			isFieldName === true && PREVIEW_NAME.test(name ?? '');
		const order = (file: FoundFile) => 2 * Number(file.isOfUnknownKind) + Number(isPreview(file));
		const ordered = [
			...(isMade ? others : main).sort((one, other) => order(one) - order(other)),
			...(isMade ? main.filter(this.isSource) : []),
			...this.found.filter((file) => !this.isMain(file)),
		];
		// `"content": { "video_url": … }`; but the name of a stem stays.
		const isAlone = (file: FoundFile) => main.length === 1 && main[0] === file;
		let highest = 0;
		const taken = new Set<number>();
		return ordered.map((file) => {
			const { index: given, kind, url, name, isFieldName, expiresAt, beside } = file;
			const isTextFile = isTextLink(file);
			// A text, and the stream of a track whose number is taken, is none of several.
			const hasNone = isTextFile || (taken.has(given ?? 0) && BESIDE_A_SONG.test(name ?? ''));
			// The number after the highest so far. Only the service numbers the pictures of a grid.
			const counted = given === undefined && this.family !== 'grid' ? highest + 1 : (given ?? null);
			const index = hasNone ? null : counted;
			highest = Math.max(highest, index ?? 0);
			if (this.isMain(file)) taken.add(index ?? 0);
			const isOther = isLesser(file) || isTextFile;
			const saysNothing = isFieldName === true && kind !== 'audio' && isAlone(file) && !isOther;
			return { index, kind, url, name: saysNothing ? null : name, expiresAt, ...beside };
		});
	}

	/** Adds what stands in the documented place of a link. */
	add(value: unknown, { field, holder, ...shown }: Place): void {
		if (typeof value !== 'string') return;
		const url = contentOf(value, field, holder) ?? linkOf(value, field, this.baseUrl);
		if (url === undefined || this.seen.has(value.trim()) || this.seen.has(url)) return;
		this.seen.add(url);
		const said = kindOf(url, field);
		const kind = said ?? (this.family === null ? 'image' : FAMILIES[this.family].kind);
		const isOfUnknownKind = said === undefined;
		const file = { ...shown, url, kind, isOfUnknownKind, beside: this.labelsOf(holder) };
		if (!this.isOwnKindOnly || this.isMain(file)) this.found.push(file);
	}

	/** Adds the links of `result.<list>[].<link>`. An entry without a link keeps its number. */
	addListed(result: unknown, { list, link, numbered }: ListPlace, base: Base): void {
		let index = 0;
		for (const entry of listOf(unpacked(objectOf(result)[list]))) {
			const holder = objectOf(entry);
			const expiresAt = isoDate(holder.expires_at) ?? base.expiresAt;
			const place = { ...base, name: nameBeside(holder) ?? null, expiresAt, holder };
			const links = numbered === 'links' ? listOf(holder[link]) : [holder[link]];
			links.forEach((each, at) => this.add(each, { ...place, index: index + at + 1 }));
			index += Math.max(1, links.length);
		}
	}

	/** Adds the links of documented fields of an object. What stands beside them belongs to the task. */
	addNamed(holder: Record<string, unknown>, { fields }: FieldPlace, base: Base): void {
		const place = { ...base, expiresAt: isoDate(holder.expires_at) ?? base.expiresAt, holder: {} };
		for (const [field, name] of Object.entries(fields)) {
			if (name !== null) {
				this.addAll(holder[field], { ...place, name, index: null });
				continue;
			}
			const value = unpacked(holder[field]);
			const entries = isObject(value) ? Object.values(value) : listOf(value);
			entries.forEach((each, at) => this.addAll(each, { ...place, name, index: at + 1 }));
		}
	}

	addAll(given: unknown, place: Place): void {
		const value = unpacked(given);
		if (Array.isArray(value)) return this.addList(value, place);
		const name = nameOf(place.field);
		const named = name === null ? place : { ...place, name, isFieldName: true };
		if (typeof value === 'string') this.add(value, named);
		// `"drums": { "url": … }`
		else if (isObject(value)) this.addFields(value, named);
	}

	private addList(list: readonly unknown[], place: Place): void {
		list.forEach((given, at) => {
			const inner = unpacked(given);
			const inside = NUMBERED_LISTS.has(place.field) ? { ...place, index: at + 1 } : place;
			// The field of a list is not the name of its objects.
			if (isObject(inner)) this.addFields(inner, inside);
			else this.addAll(inner, inside);
		});
	}

	private addFields(holder: Record<string, unknown>, place: Place): void {
		const expiresAt = isoDate(holder.expires_at) ?? place.expiresAt;
		// `{ "name": "drums", "url": … }`
		const name = nameBeside(holder);
		const named = name === undefined ? place : { ...place, name, isFieldName: false };
		for (const [field, inner] of Object.entries(holder))
			if (mayHoldLinks(inner) && !CALLBACK_FIELD.test(field))
				this.addAll(inner, { ...named, field, expiresAt, holder });
	}

	private labelsOf(holder: Record<string, unknown>): Record<string, unknown> {
		const labels = this.labels.get(holder) ?? besideLinks(holder, this.baseUrl);
		this.labels.set(holder, labels);
		return labels;
	}
}

export const resultOf = (raw: Record<string, unknown>): unknown => unpacked(raw.result);

/**
 * The fields of a result that is an answer in words, such as enhanced tags; `undefined` if it is not: an empty field or a list is the place
 * of a file, and numbers alone describe a file. Next to tags there is no file.
 */
export function textResult(raw: Record<string, unknown>): Record<string, unknown> | undefined {
	const result = resultOf(raw);
	if (isObject(result) && isText(result.upsampled_tags))
		return { upsampled_tags: result.upsampled_tags };
	const fields = isObject(result) ? result : { text: result };
	const values = Object.values(fields);
	return values.some(isText) && values.every((value) => isText(value) || typeof value === 'number')
		? fields
		: undefined;
}

/**
 * The files of a task: those in the documented place of its family first, then every other link in `result`, then in the rest
 * of the record; of these the family's own kind first. Each link comes once; links of the request are left out.
 *
 * @param request the request's own links; without it, fields that a request can have are left out
 * @param baseUrl where relative links lead
 */
export function resultFiles(
	record: TaskRecord,
	family: TaskFamily | null,
	request?: SentRequest,
	baseUrl = '',
): ResultFile[] {
	const isGrid = isGridRecord(record.raw, family);
	const results = new Results(family, isGrid, baseUrl, request);
	const result = resultOf(record.raw);
	const hours = family === null ? undefined : FAMILIES[family].linkHours;
	const { completed } = record;
	const expiresAt =
		hours === undefined || completed === undefined
			? null
			: new Date(completed + hours * HOUR_MS).toISOString();
	const shown = family ?? (isGrid ? 'grid' : null);
	const addPlace = (each: TaskFamily) => {
		const { kind, results: place } = FAMILIES[each];
		const base = { field: `${kind}_url`, expiresAt: each === family ? expiresAt : null };
		if (place && 'list' in place) results.addListed(result, place, base);
		else if (place)
			for (const holder of [record.raw, result].filter(isObject))
				results.addNamed(holder, place, base);
	};
	// In the record of another family, fields that are not a list may repeat the request.
	const lists = TASK_FAMILIES.filter((each) => 'list' in (FAMILIES[each].results ?? {}));
	new Set(shown === null ? lists : [shown, ...lists]).forEach(addPlace);
	// A custom request of another node can result in a grid.
	if (isGrid && results.isEmpty) addPlace('grid');

	const addAll = (field: string, value: unknown) =>
		results.addAll(value, { field, name: null, expiresAt, holder: {} });
	addAll('result', result);
	const others = Object.entries(record.raw).filter(
		([field]) => field !== 'result' && !CALLBACK_FIELD.test(field) && !request?.fields.has(field),
	);
	for (const [field, value] of others) if (!REQUEST_FIELDS.has(field)) addAll(field, value);
	// The service may have stored the request's pictures again, under other links.
	if (!results.hasOwnKind && request) {
		results.isOwnKindOnly = !results.isEmpty;
		for (const [field, value] of others) if (REQUEST_FIELDS.has(field)) addAll(field, value);
	}
	return results.files;
}

/** A link of a request, which may have blanks, or hold the picture itself. */
const SENT_LINK = /^\s*(?:https?:\/\/|data:)\S/i;

/** Collects the links of a request body, at any depth, and how many files it asks for. `linkFor` gives those of values that are not text. */
export function sentRequestOf(
	body: Record<string, unknown>,
	linkFor: (value: unknown) => string | undefined = () => undefined,
): SentRequest {
	const urls = new Set<string>();
	const collect = (given: unknown): boolean => {
		const value = linkFor(given) ?? given;
		if (typeof value === 'string') {
			const isLink = SENT_LINK.test(value);
			if (isLink) urls.add(value.trim());
			return isLink;
		}
		const inner = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
		// Every part is visited: `some` would stop at the first link.
		return inner.map(collect).includes(true);
	};
	const fields = Object.entries(body).flatMap(([field, value]) => (collect(value) ? [field] : []));
	const count = typeof body.n === 'number' ? { count: body.n } : {};
	return { fields: new Set(fields), urls, ...count };
}
