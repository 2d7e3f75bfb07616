import {
	CUSTOM_MODE_FIELDS,
	DESCRIPTION_MODE_FIELD,
	extendReads,
	inferMode,
	MUSIC_MODELS,
	MUSIC_VERSIONS,
	STEM_TYPES,
	VOCAL_GENDERS,
	WEIGHT,
} from '../shared/api/music';
import type { Operation } from '../shared/n8n/describe';
import { type KnownValues, labelOf, unlistedNotes } from '../shared/n8n/parameters';
import { buyingOperation, type BuyingOperation } from '../shared/tasks/execute';
import type { RequestBody } from '../shared/tasks/prepare';
import { flag, integer, number, taskId, text } from '../shared/util/schema';
import { z } from '../shared/util/vendor/zod';
import { keepReadFields } from './mode';

const weight = () => number(WEIGHT.min, WEIGHT.max).optional();

export const model = { model: text().optional() };

export const version = { version: text().optional() };

/** The source track. Without it, or if it cannot be found, the service answers 400 (spec §2). */
export const source = { task_id: taskId(), audio_index: integer(1) };

/** The words and the style of a song, in either mode (spec §2, Common field rules). */
export const song = {
	custom: flag().optional(),
	prompt: text().optional(),
	gpt_description: text().optional(),
	title: text().optional(),
	tags: text().optional(),
	negative_tags: text().optional(),
	style_weight: weight(),
	weirdness_constraint: weight(),
	audio_weight: weight(),
};

export const vocals = { vocal_gender: text().optional() };

export const autoLyrics = { auto_lyrics: flag().optional() };

export const persona = { persona_id: text().optional() };

type SongSchema = z.ZodType<RequestBody, z.ZodTypeDef, unknown>;

function needsDescription(body: RequestBody, issues: z.RefinementCtx): void {
	if (body.custom !== false || body.gpt_description !== undefined) return;
	issues.addIssue({
		code: z.ZodIssueCode.custom,
		path: ['gpt_description'],
		message: 'is required by the mode From Description',
	});
}

/** Refuses an interval that ends before it begins: the service would be paid for nothing. */
export function endsAfterStart(
	{ start_s: start, end_s: end }: { start_s: number; end_s: number },
	issues: z.RefinementCtx,
): void {
	if (end > start) return;
	issues.addIssue({
		code: z.ZodIssueCode.custom,
		path: ['end_s'],
		message: `must be after the start, which is at ${start} seconds`,
	});
}

/** A request whose mode is inferred where it is not set. Description mode needs its description (spec §2, `custom`). */
export function songRequest(schema: SongSchema): SongSchema {
	return z.preprocess(keepReadFields(inferMode), schema.superRefine(needsDescription));
}

/** The request of `extend`, which neither infers the mode nor enforces what it needs (spec §2, extend). */
export function extendRequest(schema: SongSchema): SongSchema {
	return z.preprocess(keepReadFields(extendReads), schema);
}

type MusicOperation = Pick<
	BuyingOperation,
	'name' | 'value' | 'action' | 'description' | 'fields' | 'schema' | 'synchronous'
>;

/** What the user set and the mode does not read. */
function unreadNotes({ fields }: MusicOperation, body: RequestBody, given: RequestBody): string[] {
	return [...CUSTOM_MODE_FIELDS, DESCRIPTION_MODE_FIELD]
		.filter((name) => given[name] !== undefined && body[name] === undefined)
		.map((name) => `"${labelOf(fields, name) ?? name}" was not sent: the mode does not read it`);
}

const KNOWN_VALUES: KnownValues = [
	['model', 'model', MUSIC_MODELS],
	['version', 'version', MUSIC_VERSIONS],
	['stem type', 'stem_type', STEM_TYPES],
	['vocal gender', 'vocal_gender', VOCAL_GENDERS],
];

function positionNotes({ continue_at: second }: RequestBody): string[] {
	if (typeof second !== 'number' || second >= 0) return [];
	return [`"Continue At" is ${second}, before the beginning of the song: it is sent as it is`];
}

/** Makes an operation of its fields and its request: `POST /v1/music/generations/{operation}` (spec §2). */
export function musicOperation(operation: MusicOperation): Operation {
	return buyingOperation({
		...operation,
		family: 'music',
		resource: { name: 'Music', value: 'music' },
		path: `/v1/music/generations/${operation.value}`,
		notes: (body, given) => [
			...unlistedNotes(body, KNOWN_VALUES),
			...positionNotes(body),
			...unreadNotes(operation, body, given),
		],
	});
}
