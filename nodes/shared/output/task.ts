import { type BrandWordMap, neutralUsage } from '../api/brandWords';
import { otherReason } from '../api/errors';
import {
	FAMILIES,
	isGridRecord,
	RESULT_KINDS,
	type ResultKind,
	TASK_FAMILIES,
	type TaskFamily,
} from '../api/families';
import { MAKES_GRID } from '../api/grid';
import {
	knownStatus,
	TASK_STATUSES,
	type TaskRecord,
	type TaskStatus,
	toTaskRecord,
} from '../api/records';
import { isBlank, isObject, listIn, objectOf } from '../util/json';
import { toCamelCase } from '../util/names';
import { z } from '../util/vendor/zod';
import {
	BESIDE_A_SONG,
	besideTaskShape,
	isLesser,
	isMainLinkField,
	isTextLink,
	kindsOf,
	REQUEST_FIELDS,
	type SentRequest,
	type ResultFile,
	resultFiles,
	resultOf,
	resultShape,
	textResult,
} from './resultFiles';

/** A task in the shape of all families (design, The task shape): its type, the names that no record replaces, and what the editor shows. */
export const taskShape = z.object({
	taskId: z.string(),
	/** `null` where a callback does not show it. */
	family: z.enum(TASK_FAMILIES).nullable(),
	/** The operation that made the task, as far as it is known. */
	operation: z.string(),
	status: z.enum(TASK_STATUSES),
	serviceStatus: z.string(),
	/** Percent. */
	progress: z.number().nullable(),
	results: z.array(resultShape),
	url: z.string().nullable(),
	cost: z.number().nullable(),
	creditsCost: z.number().nullable(),
	usage: z.record(z.unknown()).nullable(),
	/** Set for a failed task only. */
	error: z
		.object({
			message: z.string(),
			code: z.string().nullable(),
			type: z.string().nullable(),
			httpStatus: z.number().nullable(),
		})
		.optional(),
});

/** With other fields of the record, under their camelCase names. */
export type Task = z.infer<typeof taskShape> & { [extra: string]: unknown };

type TaskOrigin = Pick<Task, 'taskId' | 'family' | 'operation'> & { request?: SentRequest };

/** Fields of a record that the shared shape has under another name, or that repeat the request. */
const SHOWN_ELSEWHERE = new Set(['id', 'result', 'fail_reason', 'image_urls']);

/** Names that a record's own fields never replace: an item has them beside the task, `index` and `kind` for a file, and those from `fileName` on while it waits. */
const RESERVED = new Set([
	...Object.keys(taskShape.shape),
	...Object.keys(besideTaskShape.shape),
	...['index', 'kind', 'record', 'task', 'fileName', 'recordKey', 'requestLinks'],
	...['evaluatedOptions', 'leftOut', 'pauseLimit', 'secretDigest'],
]);

function extraFields(fields: Record<string, unknown>): Record<string, unknown> {
	return Object.fromEntries(
		Object.entries(fields)
			.filter(([name]) => !SHOWN_ELSEWHERE.has(name))
			.map(([name, value]) => [toCamelCase(name), value] as const)
			.filter(([name]) => !RESERVED.has(name)),
	);
}

/** Operations that make text, or whose task may have made anything. */
const MAY_BE_TEXT = new Set(['upsampleTags', 'get', 'wait', 'submit']);

/** Whether a record without files has the result in words. At a callback, the file may come after the words, and no other callback would tell. */
function isInWords(raw: Record<string, unknown>, { family, operation }: Task): boolean {
	const words = textResult(raw);
	if (operation === 'callback') return words?.upsampled_tags !== undefined;
	const mayBeText = family === null || family === 'grid' || MAY_BE_TEXT.has(operation);
	return mayBeText && words !== undefined;
}

/** Whether a picture only shows what a song or a video looks like: the cover, or a frame. */
export const isCover = ({ family }: Task, { kind, name }: ResultFile) =>
	kind === 'image' && (family === 'music' || (family === 'video' && name !== null));

/** Fields for what a task makes, by its kind. */
const PLACES: Readonly<Record<ResultKind, RegExp>> = {
	audio: /^(?:audios?|music|songs?|tracks?|stems)(?:_?urls?)?$/i,
	image: /^(?:images?|pictures?)(?:_?urls?)?$/i,
	video: /^(?:videos?|clips?)(?:_?urls?)?$/i,
};

const isBlankPlace = (value: unknown): boolean =>
	isBlank(value) || (Array.isArray(value) && value.every(isBlankPlace));

/** Whether a place for what a task makes is empty, or has an entry without a link to it: `[{ "url": [], "cover_url": … }]`. */
function isUnfilled(place: unknown, kind: ResultKind): boolean {
	if (Array.isArray(place) && place.length > 0 && place.every(isObject))
		return place.some((entry) => mainLinks(entry, kind).every(isBlankPlace));
	if (!isObject(place)) return isBlankPlace(place);
	const links = mainLinks(place, kind);
	return (links.length > 0 ? links : Object.values(place)).every(isBlankPlace);
}

const mainLinks = (holder: Record<string, unknown>, kind: ResultKind) =>
	Object.entries(holder)
		.filter(([field]) => isMainLinkField(field, kind))
		.map(([, value]) => value);

/** Whether a place for what a task makes is there, at any depth, and empty: `"video_url": ""`. */
const hasEmptyPlace = (
	value: unknown,
	kind: ResultKind,
	isPlace: (field: string) => boolean,
): boolean =>
	typeof value === 'object' &&
	value !== null &&
	Object.entries(value).some(([field, inner]: [string, unknown]) =>
		isPlace(field) ? isUnfilled(inner, kind) : hasEmptyPlace(inner, kind, isPlace),
	);

/** Whether the link of an entry is still to come: neither its documented field has one, nor, if that is not there, another that may be meant for it. */
function lacksLink(entry: unknown, field: string, kind: ResultKind): boolean {
	if (!isObject(entry)) return isBlankPlace(entry);
	if (field in entry) return isBlankPlace(entry[field]);
	const others = Object.entries(entry).filter(([name]) => !BESIDE_A_SONG.test(name));
	return mainLinks(Object.fromEntries(others), kind).every(isBlankPlace);
}

/** Whether a task is completed, and the list of what it made has an entry without its link, beside files. */
export function isPartial(raw: Record<string, unknown>, task: Task): boolean {
	const { family, status, results } = task;
	const place = family && FAMILIES[family].results;
	if (!place || status !== 'completed') return false;
	const result = objectOf(resultOf(raw));
	const { kind } = FAMILIES[family];
	const lacks =
		'list' in place
			? listIn(result[place.list]).map((entry) => lacksLink(entry, place.link, kind))
			: Object.keys(place.fields)
					.flatMap((field) => listIn(raw[field] ?? result[field]))
					.map(isBlankPlace);
	const isBeside = ({ name }: ResultFile) => BESIDE_A_SONG.test(name ?? '');
	const hasOthersOnly = results.length > 0 && results.every(isBeside);
	return lacks.includes(true) && (hasOthersOnly || lacks.includes(false));
}

/** Whether a task is completed, and its record does not show what it made. The operation of a grid is what its record says. */
export function isEmpty(raw: Record<string, unknown>, task: Task): boolean {
	const { family, operation, status, results } = task;
	if (status !== 'completed') return false;
	if (results.length === 0) return !isInWords(raw, task);
	const result = resultOf(raw);
	if (isGridRecord(raw, family)) {
		const hasPlace = [raw, objectOf(result)].some((holder) => 'image_urls' in holder);
		return MAKES_GRID.has(operation) && hasPlace && results.every(({ index }) => index === null);
	}
	if (results.some((file) => isMain(file, family))) return false;
	// A known family may give names of its own to what it made, and a custom request may be for pictures.
	const isBeside = (file: ResultFile) => isCover(task, file) || (family === null && isLesser(file));
	if (operation !== 'submit' && results.every(isBeside)) return true;
	const beside = Object.entries(raw).filter(([field]) => !REQUEST_FIELDS.has(field));
	// A picture of an unknown family may be what was made, and then a link to something else stays empty.
	const mayBeMade = family === null && !results.every(isLesser);
	const kinds = family === null && !mayBeMade ? RESULT_KINDS : kindsOf(family);
	return kinds.some((kind) => {
		const isPlace = (field: string) =>
			PLACES[kind].test(field) || (!mayBeMade && isMainLinkField(field, kind));
		return (
			hasEmptyPlace(result, kind, isPlace) ||
			beside.some(([field, value]) => isPlace(field) && isUnfilled(value, kind))
		);
	});
}

/** Whether a file is what a task was bought for. */
export const isMain = (
	file: Pick<ResultFile, 'kind' | 'name' | 'url'>,
	family: TaskFamily | null,
): boolean => kindsOf(family).includes(file.kind) && !isLesser(file) && !isTextLink(file);

/** What a task says in words: the answer of a task without files, and enhanced tags, whatever stands beside them. */
export function wordsOf(
	raw: Record<string, unknown>,
	{ status, results }: Pick<Task, 'status' | 'results'>,
) {
	const { upsampled_tags: tags } = objectOf(resultOf(raw));
	return extraFields({
		...(status === 'completed' && results.length === 0 ? textResult(raw) : {}),
		...(tags === undefined ? {} : { upsampled_tags: tags }),
	});
}

/** The spec does not show every word for a status: an unknown one counts as running, unless the record shows the end. */
function recordStatus(record: TaskRecord, results: readonly ResultFile[]): TaskStatus {
	const known = knownStatus(record.status);
	if (known !== undefined) return known;
	if (record.progress === undefined || record.progress < 100) return 'running';
	if (record.failure !== undefined) return 'failed';
	return results.length > 0 ? 'completed' : 'running';
}

function errorOf({ failure, raw }: TaskRecord): Task['error'] {
	return {
		message:
			failure?.message ??
			otherReason(raw) ??
			otherReason(objectOf(raw.result)) ??
			'The service gives no reason',
		code: failure?.code ?? null,
		type: failure?.type ?? null,
		httpStatus: null,
	};
}

/** Converts a task record to the shared task shape: see `resultFiles`. `words` are the deployment's, for the names in `usage`. */
export function toTask(
	record: TaskRecord,
	{ taskId, family, operation, request }: TaskOrigin,
	words: BrandWordMap,
	baseUrl = '',
): Task {
	const results = resultFiles(record, family, request, baseUrl);
	const status = recordStatus(record, results);
	const isGrid = isGridRecord(record.raw, family) && record.action !== undefined;
	return {
		taskId,
		family,
		operation: isGrid ? toCamelCase(String(record.action).toLowerCase()) : operation,
		status,
		serviceStatus: record.status,
		progress: record.progress ?? (status === 'completed' ? 100 : null),
		results,
		url: results[0]?.url ?? null,
		cost: record.cost ?? null,
		creditsCost: record.creditsCost ?? null,
		usage: record.usage ? neutralUsage(record.usage, words) : null,
		...(status === 'failed' ? { error: errorOf(record) } : {}),
		...extraFields(record.raw),
		...wordsOf(record.raw, { status, results }),
	};
}

export const submittedTask = (origin: TaskOrigin): Task =>
	toTask(toTaskRecord({ raw: {}, status: 'submitted' }), origin, {});
