import {
	extendReads,
	inferMode,
	MUSIC_MODELS,
	MUSIC_VERSIONS,
	VOCAL_GENDERS,
	WEIGHT,
} from '../shared/api/music';
import { flag, integer, number, oneOf, text } from '../shared/util/schema';
import { z } from '../shared/util/vendor/zod';
import { keepReadFields } from './mode';

const weight = () => number(WEIGHT.min, WEIGHT.max).optional();

export const model = { model: oneOf(MUSIC_MODELS).optional() };

export const version = { version: oneOf(MUSIC_VERSIONS).optional() };

/** The track to work on. Without it, or if it cannot be found, the service answers 400 (spec §2). */
export const source = { task_id: text(), audio_index: integer(1).optional() };

/** What puts a song into words and style, in either mode (spec §2, Common field rules). */
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

export const vocals = { vocal_gender: oneOf(VOCAL_GENDERS).optional() };

export const autoLyrics = { auto_lyrics: flag().optional() };

export const persona = { persona_id: text().optional() };

type SongBody = Record<string, unknown>;

function needsDescription(body: SongBody, issues: z.RefinementCtx): void {
	if (body.custom !== false || body.gpt_description !== undefined) return;
	issues.addIssue({
		code: z.ZodIssueCode.custom,
		path: ['gpt_description'],
		message: 'is required by the mode From Description',
	});
}

type SongSchema = z.ZodType<SongBody, z.ZodTypeDef, unknown>;

/** A request whose mode is inferred where it is not set. Description mode needs its description (spec §2, `custom`). */
export function songRequest(schema: SongSchema): SongSchema {
	return z.preprocess(keepReadFields(inferMode), schema.superRefine(needsDescription));
}

/** The request of `extend`, which neither infers the mode nor enforces what it needs (spec §2, extend). */
export function extendRequest(schema: SongSchema): SongSchema {
	return z.preprocess(keepReadFields(extendReads), schema);
}

/** An interval in seconds. Both ends are required, and the second comes after the first (spec §2, sample, crop). */
export function endsAfterItStarts(body: { start_s: number; end_s: number }, issues: z.RefinementCtx): void {
	if (body.end_s > body.start_s) return;
	issues.addIssue({
		code: z.ZodIssueCode.custom,
		path: ['end_s'],
		message: `must be after the start, which is at ${body.start_s} seconds`,
	});
}
