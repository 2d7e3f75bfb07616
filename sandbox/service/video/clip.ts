import type { Plan } from '../core/store/tasks';
import type { ClipSpec } from '../media/clip';
import type { Size } from '../media/size';

/** The rate of the service's own output (spec, section 6, rule 6). */
export const OUTPUT_FPS = 24;

const STANDARD_EDGE = 720;

/** The shorter edge by `mode` of a generation and `resolution` of an extension, where it is not the standard one. */
const SHORT_EDGE = new Map([
	['pro', 1080],
	['1080p', 1080],
	['4k', 2160],
]);

export const VIDEO_RATIOS = ['16:9', '9:16', '1:1'] as const;
export type VideoRatio = (typeof VIDEO_RATIOS)[number];

/** Width and height of a video. */
export function videoSize(ratio: VideoRatio, resolution: string): Size {
	const short = SHORT_EDGE.get(resolution) ?? STANDARD_EDGE;
	const long = (short / 9) * 16;
	if (ratio === '1:1') return { width: short, height: short };
	return ratio === '16:9' ? { width: long, height: short } : { width: short, height: long };
}

export interface VideoPlan extends Plan {
	family: 'video';
	/** Without an alias. */
	model: string;
	clip: ClipSpec;
	/** Seconds of the whole video so far, where `clip` has only its last part. */
	totalSeconds: number;
}

export function videoPlan(
	model: string,
	sample: Omit<ClipSpec, 'caption'>,
	totalSeconds = sample.seconds,
): VideoPlan {
	const clip = { ...sample, caption: `${model} · ${sample.seconds} s` };
	const file = {
		suffix: '1.mp4',
		contentType: 'video/mp4',
		content: { type: 'clip', clip },
		index: 1,
		name: null,
	} as const;
	return { family: 'video', model, clip, totalSeconds, files: [file] };
}
