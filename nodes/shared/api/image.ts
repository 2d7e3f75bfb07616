/** Image generation: models, lists and limits (spec §3). */

export const OFFICIAL_MODEL = 'imagegen-2-official';

/** The lite models by their own names, then by their aliases, which are interchangeable with them (spec §3b). */
export const LITE_MODEL_NAMES: readonly string[] = [
	'imgfast-3.1-flash-lite-image',
	'imgfast-3.1-flash-lite-image-ext',
	'lite-2-lite',
	'lite-2-lite-ext',
];

export const LITE_MODELS: ReadonlySet<unknown> = new Set(LITE_MODEL_NAMES);

export const IMAGE_MODEL_NAMES: readonly string[] = [OFFICIAL_MODEL, ...LITE_MODEL_NAMES];

/** Pixels for each ratio and resolution, as the service draws them (spec §3a, size by resolution map). */
export const SIZE_BY_RESOLUTION = {
	'1:1': { '1k': ['1024x1024'], '2k': ['2048x2048'], '4k': ['2880x2880'] },
	'3:2': { '1k': ['1536x1024'], '2k': ['2048x1360'], '4k': ['3520x2336'] },
	'2:3': { '1k': ['1024x1536'], '2k': ['1360x2048'], '4k': ['2336x3520'] },
	'4:3': { '1k': ['1024x768'], '2k': ['2048x1536'], '4k': ['3312x2480'] },
	'3:4': { '1k': ['768x1024'], '2k': ['1536x2048'], '4k': ['2480x3312'] },
	'5:4': { '1k': ['1280x1024'], '2k': ['2560x2048'], '4k': ['3216x2576'] },
	'4:5': { '1k': ['1024x1280'], '2k': ['2048x2560'], '4k': ['2576x3216'] },
	'16:9': { '1k': ['1536x864'], '2k': ['2048x1152'], '4k': ['3840x2160'] },
	'9:16': { '1k': ['864x1536'], '2k': ['1152x2048'], '4k': ['2160x3840'] },
	'2:1': { '1k': ['2048x1024'], '2k': ['2688x1344'], '4k': ['3840x1920'] },
	'1:2': { '1k': ['1024x2048'], '2k': ['1344x2688'], '4k': ['1920x3840'] },
	'3:1': { '1k': ['1881x836', '1536x512'], '2k': ['3072x1024'], '4k': ['3840x1280'] },
	'1:3': { '1k': ['887x1774', '512x1536'], '2k': ['1024x3072'], '4k': ['1280x3840'] },
	'21:9': { '1k': ['2016x864'], '2k': ['2688x1152'], '4k': ['3840x1648'] },
	'9:21': { '1k': ['864x2016'], '2k': ['1152x2688'], '4k': ['1648x3840'] },
} as const;

export const IMAGE_RATIOS = Object.keys(SIZE_BY_RESOLUTION);

export const OFFICIAL_RESOLUTIONS = ['1k', '2k', '4k'] as const;

/** Ratios of the lite models (spec §3b). */
export const LITE_RATIOS = [
	'1:1',
	'3:2',
	'2:3',
	'4:3',
	'3:4',
	'16:9',
	'9:16',
	'5:4',
	'4:5',
	'21:9',
] as const;

/** A lite model accepts these resolutions, and silently draws them as `1K`. */
export const DRAWN_AS_1K = ['2K', '4K', '0.5K'] as const;
export const LITE_RESOLUTIONS = ['1K', ...DRAWN_AS_1K] as const;

export const IMAGE_QUALITIES = ['auto', 'low', 'medium', 'high'] as const;
export const IMAGE_BACKGROUNDS = ['auto', 'opaque', 'transparent'] as const;
export const IMAGE_MODERATIONS = ['auto', 'low'] as const;
export const OUTPUT_FORMATS = ['png', 'jpeg', 'webp'] as const;
/** The format that the service uses if none is sent. It accepts no compression. */
export const DEFAULT_FORMAT = 'png';
export const COMPRESSIBLE_FORMATS = ['jpeg', 'webp'] as const;

export const MAX_IMAGES = 4;
export const MAX_COMPRESSION = 100;

// The upload endpoint counts its 20 MB as 20 971 520 bytes, so a megabyte has 1 048 576 bytes here too.
const MEBIBYTE = 1_048_576;

/** How many references each model accepts, and their bytes (spec, Limits). Each of the official model may be as large as an upload. */
export const REFERENCE_LIMITS = {
	official: { count: 16, totalBytes: 256 * MEBIBYTE },
	lite: { count: 14, bytes: 10 * MEBIBYTE },
} as const;

/** Picture types that a data URI may hold (spec §3b). */
export const DATA_URI_TYPES = ['image/jpeg', 'image/png', 'image/webp'] as const;

/** Whether `size` has the form `<width>x<height>` in pixels. Which pairs the service draws is not shown. */
export const isPixelSize = (size: string) => /^[1-9]\d{1,4}x[1-9]\d{1,4}$/.test(size);
