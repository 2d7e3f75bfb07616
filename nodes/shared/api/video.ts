/** Video generation and extension: models, lists and limits (spec §5, §6). */

export const GENERATION_MODEL = 'vidomni-v3-omni';

/** The models of an extension. The name with `-ext` is an alias of the one without it (spec §5, Versioning). */
export const REMIX_MODEL_NAMES: readonly string[] = [
	'vidgen3.1-fast',
	'vidgen3.1-fast-ext',
	'vidgen3.1-quality',
	'vidgen3.1-quality-ext',
];

export const VIDEO_MODEL_NAMES: readonly string[] = [GENERATION_MODEL, ...REMIX_MODEL_NAMES];

/** A model by its own name, whichever of its names is given. */
export function withoutAlias(model: string): string {
	return model.replace(/-ext$/, '');
}

export const REMIX_ASPECT_RATIOS = ['16:9', '9:16'] as const;
export const REMIX_RESOLUTIONS = ['720p', '1080p', '4k'] as const;

export const VIDEO_MODES = ['std', 'pro', '4k'] as const;
export const VIDEO_ASPECT_RATIOS = ['16:9', '9:16', '1:1'] as const;

/** Seconds. */
export const VIDEO_DURATION = { min: 3, max: 15, default: 5 } as const;

export const MAX_NEGATIVE_PROMPT = 2_500;

export const IMAGE_ROLES = ['first_frame', 'last_frame', 'reference'] as const;

/** What a given video is for. `base` is edited, `feature` gives features to a new one. */
export const REFER_TYPES = ['base', 'feature'] as const;

export const KEEP_ORIGINAL_SOUND = ['no', 'yes'] as const;

export const MAX_VIDEOS = 1;

export const SHOT_TYPES = ['customize', 'intelligence'] as const;

export const SHOTS = { min: 1, max: 6 } as const;

/** Minimum length of one shot, in seconds. */
export const MIN_SHOT_DURATION = 1;

export const MAX_ELEMENTS = 3;

/** Pictures of one element: the first is the front view. */
export const ELEMENT_PICTURES = { min: 2, max: 4 } as const;
