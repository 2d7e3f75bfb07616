import { invalid } from '../core/errors';
import type { Size } from '../media/size';

export const RESOLUTIONS = ['1k', '2k', '4k'] as const;
export type Resolution = (typeof RESOLUTIONS)[number];

/**
 * Size by resolution (spec, 3a). Where the table says "1881x836 or 1536x512" and "887x1774 or 512x1536", the
 * sandbox makes the size with the requested ratio.
 */
const TABLE: Readonly<Record<string, Readonly<Record<Resolution, string>>>> = {
	'1:1': { '1k': '1024x1024', '2k': '2048x2048', '4k': '2880x2880' },
	'3:2': { '1k': '1536x1024', '2k': '2048x1360', '4k': '3520x2336' },
	'2:3': { '1k': '1024x1536', '2k': '1360x2048', '4k': '2336x3520' },
	'4:3': { '1k': '1024x768', '2k': '2048x1536', '4k': '3312x2480' },
	'3:4': { '1k': '768x1024', '2k': '1536x2048', '4k': '2480x3312' },
	'5:4': { '1k': '1280x1024', '2k': '2560x2048', '4k': '3216x2576' },
	'4:5': { '1k': '1024x1280', '2k': '2048x2560', '4k': '2576x3216' },
	'16:9': { '1k': '1536x864', '2k': '2048x1152', '4k': '3840x2160' },
	'9:16': { '1k': '864x1536', '2k': '1152x2048', '4k': '2160x3840' },
	'2:1': { '1k': '2048x1024', '2k': '2688x1344', '4k': '3840x1920' },
	'1:2': { '1k': '1024x2048', '2k': '1344x2688', '4k': '1920x3840' },
	'3:1': { '1k': '1536x512', '2k': '3072x1024', '4k': '3840x1280' },
	'1:3': { '1k': '512x1536', '2k': '1024x3072', '4k': '1280x3840' },
	'21:9': { '1k': '2016x864', '2k': '2688x1152', '4k': '3840x1648' },
	'9:21': { '1k': '864x2016', '2k': '1152x2688', '4k': '1648x3840' },
};

/** Sizes of the table that break the rule on multiples of 16. */
const ODD_SIZES = ['1881x836', '887x1774'];

export const LITE_RATIOS = [
	'1:1',
	'16:9',
	'9:16',
	'4:3',
	'3:4',
	'3:2',
	'2:3',
	'5:4',
	'4:5',
	'21:9',
] as const;

const PIXELS = /^(\d{1,5})x(\d{1,5})$/;
const STEP = 16;
const LONGEST_EDGE = 3840;
const MOST_PIXELS = 3840 * 2160;
const WIDEST_RATIO = 3;

/** The size of a ratio, or `undefined` for a ratio that is not in the table. */
export function sizeOfRatio(ratio: string, resolution: Resolution): Size | undefined {
	const pixels = TABLE[ratio]?.[resolution];
	return pixels === undefined ? undefined : parsePixels(pixels);
}

/**
 * The pixels of the field `size` of `imagegen-2-official`: a ratio of the table, or `<width>x<height>`.
 * @throws ServiceError 400
 */
export function officialSize(size: string, resolution: Resolution): Size {
	const known = sizeOfRatio(size === 'auto' ? '1:1' : size, resolution);
	if (known) return known;
	const pixels = parsePixels(size);
	if (!pixels) throw invalid(`size: ${size} is neither a ratio of the table nor <width>x<height>`);
	const broken = brokenPixelRule(pixels);
	if (broken) throw invalid(`size: ${size}: ${broken}`);
	return pixels;
}

/** `<width>x<height>` as numbers, or `undefined` for a text of another form. */
export function parsePixels(text: string): Size | undefined {
	const [, width, height] = PIXELS.exec(text) ?? [];
	return width === undefined || height === undefined
		? undefined
		: { width: Number(width), height: Number(height) };
}

/**
 * The pixel rule that a size violates, or `null`. The spec speaks of "multiples of 16 and a pixel cap" without figures:
 * these are the limits of its table.
 */
export function brokenPixelRule({ width, height }: Size): string | null {
	if (ODD_SIZES.includes(`${width}x${height}`)) return null;
	if (width < STEP || height < STEP || width % STEP || height % STEP)
		return `width and height are multiples of ${STEP}`;
	if (Math.max(width, height) > LONGEST_EDGE) return `no edge is longer than ${LONGEST_EDGE}`;
	if (width * height > MOST_PIXELS) return `there are at most ${MOST_PIXELS} pixels`;
	if (Math.max(width, height) / Math.min(width, height) > WIDEST_RATIO)
		return `one edge is at most ${WIDEST_RATIO} times the other`;
	return null;
}
