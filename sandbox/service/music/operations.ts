import { z } from 'zod/v3';
import { requiredText } from '../core/http/parse';
import type { TrackSpec } from '../media/track';

/** Values of `version` (spec, section 2), which determines quality and price. */
export const VERSIONS = ['v3.5', 'v4', 'v4.5', 'v4.5+', 'v4.5-all', 'v5', 'v5.5'] as const;
export type Version = (typeof VERSIONS)[number];

export const isVersion = (name: string): name is Version =>
	VERSIONS.some((version) => version === name);

/** The sandbox's own prices of a song, in credits. */
export const SONG_CREDITS: Readonly<Record<Version | 'other', number>> = {
	'v3.5': 60,
	v4: 80,
	'v4.5': 80,
	'v4.5+': 90,
	'v4.5-all': 90,
	v5: 100,
	'v5.5': 120,
	other: 120,
};

/**
 * How `custom` decides which fields take effect.
 * - `inferred`: the common rules, and the common order of inference
 * - `passedThrough`: `extend`, which neither enforces nor infers it
 * - `none`: the operation has no modes
 */
export type ModeRule = 'inferred' | 'passedThrough' | 'none';

export interface Tracks {
	tracks: readonly TrackSpec[];
	/** By name. */
	stems?: Readonly<Record<string, TrackSpec>>;
}

/** What an operation makes its tracks from. */
export interface Workshop {
	applied: Readonly<Record<string, unknown>>;
	/** Seconds of the source, or of a song. */
	length: number;
	/** A new track. */
	track: (index: number, changes?: Partial<TrackSpec>) => TrackSpec;
	/** The two tracks of a song. */
	two: (seconds: number) => Tracks;
	/** The source, changed. */
	edited: (changes: Partial<TrackSpec>) => Tracks;
}

/** An operation as its section of the spec lists it. */
export interface MusicOperation {
	/** What `task_id` and `audio_index` may refer to. */
	source: 'any' | 'uploaded' | 'none';
	/** Allowed values of `version`; `null` where there is no such dimension and a sent one is dropped. */
	versions: readonly Version[] | null;
	/** The sandbox's own price. */
	credits: number | 'ofVersion';
	mode: ModeRule;
	/** Fields that only `custom: true` reads. */
	customFields: readonly string[];
	/** Fields that are read in every mode. `custom: false` reads `gpt_description` beside them. */
	fields: readonly string[];
	makes: (workshop: Workshop) => Tracks;
}

/** Lengths in seconds. */
export const SONG = 60;
const SOUND = 8;
const CONTINUATION = 30;
const FADE_IN = 3;

function numberOf(value: unknown, otherwise: number): number {
	return typeof value === 'number' ? value : otherwise;
}

const COMMON = [
	'prompt',
	'title',
	'tags',
	'negative_tags',
	'style_weight',
	'weirdness_constraint',
	'audio_weight',
];

const songFrom = (
	source: MusicOperation['source'],
	more: Partial<MusicOperation> = {},
): MusicOperation => ({
	source,
	versions: VERSIONS,
	credits: 'ofVersion',
	mode: 'inferred',
	customFields: COMMON,
	fields: ['vocal_gender'],
	makes: ({ two, length }) => two(length),
	...more,
});
const edit = (
	credits: MusicOperation['credits'],
	fields: readonly string[],
	makes: MusicOperation['makes'],
	more: Partial<MusicOperation> = {},
): MusicOperation => ({
	source: 'any',
	versions: null,
	credits,
	mode: 'none',
	customFields: [],
	fields,
	makes,
	...more,
});

export const MUSIC_OPERATIONS = {
	/** A song without a source. The spec does not show its endpoint: path and fields are the sandbox's own. */
	create: songFrom('none', {
		customFields: [...COMMON, 'auto_lyrics', 'persona_id'],
		fields: ['vocal_gender', 'instrumental'],
		makes: ({ two }) => two(SONG),
	}),
	sample: songFrom('any', {
		customFields: [...COMMON, 'auto_lyrics'],
		fields: ['vocal_gender', 'start_s', 'end_s', 'instrumental'],
		makes: ({ two }) => two(SONG),
	}),
	coverSong: songFrom('any', { customFields: [...COMMON, 'persona_id'] }),
	extend: songFrom('any', {
		mode: 'passedThrough',
		customFields: [...COMMON, 'auto_lyrics', 'persona_id'],
		fields: ['vocal_gender', 'continue_at'],
		makes: ({ applied, length, two }) =>
			two(Math.min(numberOf(applied.continue_at, length), length) + CONTINUATION),
	}),
	addInstrumental: songFrom('uploaded', { versions: ['v5', 'v5.5'] }),
	addVocals: songFrom('uploaded'),
	addStem: songFrom('any', { fields: [] }),
	crop: edit(10, ['start_s', 'end_s'], ({ applied, length, edited }) => {
		const end = Math.min(numberOf(applied.end_s, length), length);
		return edited({ seconds: Math.max(0, end - numberOf(applied.start_s, 0)) });
	}),
	stems: edit(50, ['stem_type'], ({ applied, track }) => ({
		tracks: [],
		stems: { [String(applied.stem_type)]: track(1), backing_track: track(2) },
	})),
	fadeIn: edit(10, ['duration_s', 'title'], ({ applied, edited }) =>
		edited({ fadeIn: numberOf(applied.duration_s, FADE_IN) }),
	),
	sounds: edit('ofVersion', ['prompt', 'type', 'bpm', 'key'], ({ two }) => two(SOUND), {
		source: 'none',
		versions: VERSIONS,
	}),
	upsampleTags: edit(2, ['tags'], () => ({ tracks: [] }), { source: 'none' }),
} as const satisfies Record<string, MusicOperation>;

export type MusicOperationName = keyof typeof MUSIC_OPERATIONS;

const text = z.string().optional();
const weight = z.number().min(0, 'is 0.00 to 1.00').max(1, 'is 0.00 to 1.00').optional();
const required = { required_error: 'is required' };

/** What a field must be where it takes effect; an operation's own rules come before these. */
export const MUSIC_FIELDS: Readonly<Record<string, z.ZodTypeAny>> = {
	prompt: text,
	gpt_description: text,
	title: text,
	tags: text,
	negative_tags: text,
	style_weight: weight,
	weirdness_constraint: weight,
	audio_weight: weight,
	auto_lyrics: z.boolean().optional(),
	persona_id: text,
	vocal_gender: z.enum(['Male', 'Female']).optional(),
	instrumental: z.boolean().default(false),
	continue_at: z.number().int().min(0).optional(),
	stem_type: z.string().min(1).default('lead_vocal'),
	duration_s: z.number().int().min(0).optional(),
	type: text,
	bpm: z.number().int().min(1).optional(),
	key: text,
};

/** Rules that a field has in one operation only. */
export const OWN_RULES: Readonly<
	Partial<Record<MusicOperationName, Record<string, z.ZodTypeAny>>>
> = {
	sample: { start_s: z.number(required).min(0), end_s: z.number(required) },
	crop: { start_s: z.number(required).int().min(0), end_s: z.number(required).int() },
	upsampleTags: { tags: requiredText },
};
