import { VIDEO_DURATION } from '../shared/api/video';
import { z } from '../shared/util/vendor/zod';
import { elementMentions, imageReferences } from './references';
import type { VideoFields } from './videoRequest';

type Complain = (path: Array<string | number>, message: string) => void;

/** Rules 1, 3, 4 and 6 of spec §6: which pictures go together, and which go with a video. */
function checkPictures(body: VideoFields, complain: Complain): void {
	const { image_urls: urls, image_with_roles: images, video_list: videos } = body;
	const roles = images?.map(({ role }) => role) ?? [];
	const referType = videos?.[0] && (videos[0].refer_type ?? 'base');
	if (urls && images) complain(['image_with_roles'], 'must not be set together with "Image URLs"');
	if (roles.includes('last_frame') && !roles.includes('first_frame')) {
		complain(['image_with_roles'], 'must have a first frame where it has a last frame');
	}
	if (referType === 'base' && roles.some((role) => role !== 'reference')) {
		complain(['image_with_roles'], 'must have no first or last frame where a video is edited');
	}
	if (referType === 'feature' && urls && urls.length > 1) {
		complain(['image_urls'], 'must hold one picture at most, the first frame, beside a feature video');
	}
}

/** Rule 5 of spec §6. */
function checkAudio(body: VideoFields, complain: Complain): void {
	if (body.audio !== undefined && body.video_list?.length) {
		complain(['audio'], 'must not be set together with a video, beside which the service ignores it');
	}
}

/** Rule 7 of spec §6, and what several shots need. */
function checkShots(body: VideoFields, complain: Complain): void {
	if (body.multi_shot !== true) return;
	if (body.shot_type === undefined) complain(['shot_type'], 'is required where there are several shots');
	if (body.shot_type !== 'customize') return;
	if (body.multi_prompt === undefined) {
		complain(['multi_prompt'], 'is required: give each shot its prompt and its duration');
		return;
	}
	const sum = body.multi_prompt.reduce((total, { duration }) => total + duration, 0);
	const whole = body.duration ?? VIDEO_DURATION.default;
	if (sum === whole) return;
	const unset = body.duration === undefined ? ', what "Duration" is unless it is set' : '';
	complain(['multi_prompt'], `must last as long as the video: ${whole} seconds${unset}; the shots add up to ${sum}`);
}

/** The references of the prompts name pictures and elements that are there (spec §6, prompt and rule 8). */
function checkReferences(body: VideoFields, complain: Complain): void {
	const pictures = (body.image_urls ?? body.image_with_roles ?? []).length;
	const names = (body.element_list ?? []).map(({ name }) => name);
	const check = (path: Array<string | number>, prompt: string) => {
		const missing = imageReferences(prompt).find((number) => number < 1 || number > pictures);
		if (missing !== undefined) {
			complain(path, `must refer to given pictures only: <<<image_${missing}>>> is not among the ${pictures} given`);
		}
		const [stranger] = elementMentions(prompt, names).unknown;
		if (stranger !== undefined) {
			complain(path, `must mention given elements only: there is none with the name "${stranger}"`);
		}
	};
	if (body.prompt !== undefined) check(['prompt'], body.prompt);
	body.multi_prompt?.forEach(({ prompt }, at) => check(['multi_prompt', at, 'prompt'], prompt));
}

/** The rules of spec §6 that more than one field has a part in. */
export function checkVideoRules(body: VideoFields, issues: z.RefinementCtx): void {
	const complain: Complain = (path, message) =>
		issues.addIssue({ code: z.ZodIssueCode.custom, path, message });
	checkPictures(body, complain);
	checkAudio(body, complain);
	checkShots(body, complain);
	checkReferences(body, complain);
}
