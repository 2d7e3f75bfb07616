/** Music operations: models, lists, limits and the mode that decides which fields take effect (spec §2). */

export const MUSIC_MODELS = ['musicgen'] as const;

export const MUSIC_VERSIONS = ['v3.5', 'v4', 'v4.5', 'v4.5+', 'v4.5-all', 'v5', 'v5.5'] as const;

export const INSTRUMENTAL_VERSIONS = ['v5', 'v5.5'] as const;

/** The version that the service uses if none is sent. */
export const DEFAULT_VERSION = 'v5.5';

export const VOCAL_GENDERS = ['Male', 'Female'] as const;

/** Style, creativity and audio weights (spec, Limits). */
export const WEIGHT = { min: 0, max: 1 } as const;

/** The stem types that the spec names, of over a hundred. */
export const STEM_TYPES = [
	'lead_vocal',
	'backing_vocals',
	'drum_kit',
	'bass',
	'piano',
	'electric_guitar',
] as const;

/** Suggestions for the key of a sound. The spec lists none, so any other text is sent as it is. */
export const MUSICAL_KEYS: readonly string[] = 'C C# D D# E F F# G G# A A# B'
	.split(' ')
	.flatMap((note) => [`${note} major`, `${note} minor`]);

export const DEFAULT_STEM_TYPE = 'lead_vocal';

export const CUSTOM_MODE_FIELDS = [
	'prompt',
	'title',
	'tags',
	'negative_tags',
	'style_weight',
	'weirdness_constraint',
	'audio_weight',
	'auto_lyrics',
	'persona_id',
] as const;

export const DESCRIPTION_MODE_FIELD = 'gpt_description';

/**
 * Names of the fields that the service does not read in the mode of a request; none if nothing in it decides the mode. Without `custom` the
 * mode is inferred in the order of spec §2, Common field rules; if the operation does not infer it, description mode is the default.
 */
export function unreadFields(
	{ custom, prompt, gpt_description, tags, title }: Readonly<Record<string, unknown>>,
	infers: boolean,
): readonly string[] {
	const ofMode = (isCustom: boolean) => (isCustom ? [DESCRIPTION_MODE_FIELD] : CUSTOM_MODE_FIELDS);
	if (typeof custom === 'boolean' || !infers) return ofMode(custom === true);
	if (prompt !== undefined) return ofMode(true);
	if (gpt_description !== undefined) return ofMode(false);
	return tags !== undefined || title !== undefined ? ofMode(true) : [];
}
