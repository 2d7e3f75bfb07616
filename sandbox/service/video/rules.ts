import { invalid } from '../core/errors';
import type { ClipSpec } from '../media/clip';
import type { Service } from '../core/service';
import type { Shot, VideoRequest } from './request';

const MEGABYTE = 1024 * 1024;
const IMAGE_MARK = /<<<image_(\d+)>>>/g;

/** Limits on a reference video (spec, section 6, rule 6 and Limits). */
const BASE_SECONDS = { least: 3, most: 10 };
const FEATURE = {
	leastSeconds: 3,
	leastPixels: 720,
	mostPixels: 2160,
	leastFps: 24,
	mostFps: 60,
	mostBytes: 200 * MEGABYTE,
};

/** The images of a request, in the order of `<<<image_N>>>`. */
export function imagesOf(request: VideoRequest): string[] {
	return [...(request.image_urls ?? []), ...(request.image_with_roles ?? []).map(({ url }) => url)];
}

/**
 * Rules 1, 3, 4.
 * @param strict whether the prompt may refer to existing images only
 * @throws ServiceError 400
 */
export function checkPictures(request: VideoRequest, strict: boolean): void {
	const roles = (request.image_with_roles ?? []).map(({ role }) => role);
	if (request.image_urls?.length && roles.length)
		throw invalid('image_with_roles: mutually exclusive with image_urls');
	if (roles.includes('last_frame') && !roles.includes('first_frame')) {
		throw invalid('image_with_roles: a last frame requires a first frame');
	}
	const edits = request.video_list?.some(({ refer_type }) => refer_type === 'base');
	if (edits && (roles.includes('first_frame') || roles.includes('last_frame'))) {
		throw invalid(
			'image_with_roles: first and last frames are not allowed together with video editing',
		);
	}
	if (!strict) return;
	const count = imagesOf(request).length;
	for (const [mark, number] of (request.prompt ?? '').matchAll(IMAGE_MARK)) {
		if (Number(number) < 1 || Number(number) > count)
			throw invalid(`prompt: ${mark} points at none of the ${count} images`);
	}
}

/** The prompt, with `<<<image_1>>>` prepended if images are sent and it refers to none (rule 2). */
export function markedPrompt(request: VideoRequest): string | undefined {
	const { prompt } = request;
	if (imagesOf(request).length === 0 || prompt?.match(IMAGE_MARK)) return prompt;
	return `<<<image_1>>>${prompt ?? ''}`;
}

/** Rule 7. @throws ServiceError 400 */
export function checkShots(shots: readonly Shot[], duration: number): void {
	for (const [at, { index }] of shots.entries()) {
		if (index !== at + 1) throw invalid(`multi_prompt[${at}].index: must be ${at + 1}`);
	}
	const sum = shots.reduce((total, shot) => total + shot.duration, 0);
	if (sum !== duration)
		throw invalid(`multi_prompt: the durations sum to ${sum}, duration is ${duration}`);
}

const refuse = (why: string) => invalid(`video_list[0].video_url: ${why}`);

/**
 * Checks the reference video (rule 6).
 * @returns its clip, if the video is the sandbox's own
 * @throws ServiceError 400
 */
export function checkReferenceVideo(service: Service, request: VideoRequest): ClipSpec | null {
	const [video] = request.video_list ?? [];
	if (!video) return null;
	const isFeature = video.refer_type === 'feature';
	if (isFeature && (request.image_urls?.length ?? 0) > 1) {
		throw invalid('image_urls: only a first-frame image is allowed beside a feature video');
	}
	if (!/^https?:\/\//i.test(video.video_url) || !URL.canParse(video.video_url))
		throw refuse('must be an http or https URL');

	const file = service.files.byUrl(video.video_url);
	if (file === 'foreign') return null;
	if (file === 'gone') throw refuse('cannot be reached');
	if (file.content.type !== 'clip') throw refuse('is not a video');
	const { clip } = file.content;
	if (isFeature) checkFeature(clip, file.padTo ?? 0);
	else checkBase(clip);
	return clip;
}

function checkBase({ seconds }: ClipSpec): void {
	const { least, most } = BASE_SECONDS;
	if (seconds < least || seconds > most)
		throw refuse(`${seconds} s, a base video lasts ${least} to ${most} s`);
}

function checkFeature({ seconds, fps, width, height }: ClipSpec, bytes: number): void {
	const { leastSeconds, leastPixels, mostPixels, leastFps, mostFps, mostBytes } = FEATURE;
	const edge = Math.min(width, height);
	if (seconds < leastSeconds)
		throw refuse(`${seconds} s, a feature video lasts at least ${leastSeconds} s`);
	if (edge < leastPixels || edge > mostPixels)
		throw refuse(`${width}x${height}, a feature video has ${leastPixels} to ${mostPixels} px`);
	if (fps < leastFps || fps > mostFps)
		throw refuse(`${fps} fps, a feature video has ${leastFps} to ${mostFps}`);
	if (bytes > mostBytes) throw refuse(`${bytes} bytes, at most ${mostBytes}`);
}
