import type { Size } from '../image/sizes';

/** The shorter edge, by the words for a resolution: `mode` of a generation, `resolution` of an extension. */
const SHORT_EDGE = { std: 720, pro: 1080, '4k': 2160, '720p': 720, '1080p': 1080 } as const;

export type VideoResolution = keyof typeof SHORT_EDGE;
export type VideoRatio = '16:9' | '9:16' | '1:1';

export const VIDEO_RATIOS: readonly VideoRatio[] = ['16:9', '9:16', '1:1'];

/** Width and height of a video. */
export function videoSize(ratio: VideoRatio, resolution: VideoResolution): Size {
	const short = SHORT_EDGE[resolution];
	const long = (short / 9) * 16;
	if (ratio === '1:1') return { width: short, height: short };
	return ratio === '16:9' ? { width: long, height: short } : { width: short, height: long };
}
