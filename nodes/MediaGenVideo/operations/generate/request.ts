import {
	ELEMENT_PICTURES,
	GENERATION_MODEL,
	MAX_ELEMENTS,
	MAX_NEGATIVE_PROMPT,
	MAX_VIDEOS,
	MIN_SHOT_DURATION,
	SHOTS,
	VIDEO_DURATION,
} from '../../../shared/api/video';
import { picture } from '../../../shared/n8n/pictures';
import type { RequestBody } from '../../../shared/tasks/prepare';
import { flag, integer, refuseIn, schemaFor, text, webUrl } from '../../../shared/util/schema';
import { z } from '../../../shared/util/vendor/zod';

const list = <Item extends z.ZodTypeAny>(item: Item) =>
	z.array(item, { required_error: 'is required', invalid_type_error: 'must be a list' });

/** The fields of spec §6, each by itself. Limits apply to the model of the spec only: another one may have others. */
function fieldsFor(model: 'known' | 'other') {
	const known = model === 'known';
	const upTo = (limit: number) => (known ? limit : Infinity);

	const imageWithRole = z.object({ url: picture(), role: text() });
	const video = z.object({
		video_url: webUrl(),
		refer_type: text().optional(),
		keep_original_sound: text().optional(),
	});
	const shot = z.object({ prompt: text(), duration: integer(MIN_SHOT_DURATION) });
	const element = z.object({
		name: text(),
		description: text(),
		element_input_urls: list(picture())
			.min(known ? ELEMENT_PICTURES.min : 0, `must have at least ${ELEMENT_PICTURES.min} pictures`)
			.max(upTo(ELEMENT_PICTURES.max), `must have at most ${ELEMENT_PICTURES.max} pictures`),
	});
	return z.object({
		model: text(),
		prompt: text().optional(),
		negative_prompt: text(upTo(MAX_NEGATIVE_PROMPT)).optional(),
		mode: text().optional(),
		duration: (known ? integer(VIDEO_DURATION.min, VIDEO_DURATION.max) : integer(1)).optional(),
		aspect_ratio: text().optional(),
		image_urls: list(picture()).optional(),
		image_with_roles: list(imageWithRole).optional(),
		video_list: list(video)
			.max(upTo(MAX_VIDEOS), `must have at most ${MAX_VIDEOS} video`)
			.optional(),
		multi_shot: flag().optional(),
		shot_type: text().optional(),
		multi_prompt: list(shot)
			.min(SHOTS.min, `must have at least ${SHOTS.min} shot`)
			.max(upTo(SHOTS.max), `must have at most ${SHOTS.max} shots`)
			.optional(),
		element_list: list(element)
			.max(upTo(MAX_ELEMENTS), `must have at most ${MAX_ELEMENTS} elements`)
			.optional(),
		watermark: flag().optional(),
		audio: flag().optional(),
	});
}

type VideoFields = z.infer<ReturnType<typeof fieldsFor>>;

type Refuse = ReturnType<typeof refuseIn>;

/** Rules 1, 3, 4, 5 and 6 of spec §6: which pictures go together, and what goes with a video. */
function checkMedia(body: VideoFields, refuse: Refuse): void {
	const { image_urls: urls, image_with_roles: images, video_list: videos } = body;
	const roles = images?.map(({ role }) => role) ?? [];
	const hasFrames = roles.includes('first_frame') || roles.includes('last_frame');
	const referType = videos?.[0] && (videos[0].refer_type ?? 'base');
	if (urls && images) refuse('image_with_roles', 'must not be set together with "Image URLs"');
	if (roles.includes('last_frame') && !roles.includes('first_frame')) {
		refuse('image_with_roles', 'must have a first frame where it has a last frame');
	}
	if (referType === 'base' && hasFrames)
		refuse('image_input', 'must have no first or last frame with a video that is edited');
	if (referType === 'feature' && urls && urls.length > 1) {
		refuse('image_urls', 'must hold one picture at most, the first frame, with a feature video');
	}
	if (videos && body.audio === true)
		refuse('audio', 'must be off with a given video: the service makes no sound for it');
}

/** Rule 7 of spec §6, and what several shots need. */
function checkShots(
	{ multi_shot, shot_type, multi_prompt: shots, duration }: VideoFields,
	refuse: Refuse,
): void {
	if (multi_shot !== true) return;
	if (shot_type === undefined) refuse('shot_type', 'is required where there are several shots');
	if (shot_type !== 'customize') return;
	if (shots === undefined)
		return refuse('multi_prompt', 'is required: give each shot its prompt and its duration');
	const whole = duration ?? VIDEO_DURATION.default;
	const sum = shots.reduce((total, shot) => total + shot.duration, 0);
	if (sum === whole) return;
	const unset = duration === undefined ? ', which "Duration" is unless it is set' : '';
	refuse(
		'multi_prompt',
		`must last as long as the video: ${whole} seconds${unset}; the shots add up to ${sum}`,
	);
}

/** A request that shows nothing at all would buy a video of the service's own choice. */
function checkContent(body: VideoFields, refuse: Refuse): void {
	const { prompt, multi_prompt, image_urls, image_with_roles, video_list } = body;
	const contents = [prompt, multi_prompt, image_urls, image_with_roles, video_list];
	if (contents.some((content) => content !== undefined)) return;
	refuse('prompt', 'is required, unless there are shots, images or a video');
}

/** The rules of spec §6 that involve more than one field. Another model may have others, but it needs some content, too. */
function checkVideoRules(body: VideoFields, issues: z.RefinementCtx): void {
	const refuse = refuseIn(issues);
	checkContent(body, refuse);
	if (body.model !== GENERATION_MODEL) return;
	checkMedia(body, refuse);
	checkShots(body, refuse);
}

/** The shots count from 1 upwards, in the order in which they were given (spec §6, rule 7). */
function withIndexes({ multi_prompt: shots, ...body }: VideoFields): RequestBody {
	return shots === undefined
		? body
		: { ...body, multi_prompt: shots.map((given, at) => ({ index: at + 1, ...given })) };
}

const knownRequest = fieldsFor('known').superRefine(checkVideoRules).transform(withIndexes);
const otherRequest = fieldsFor('other').superRefine(checkVideoRules).transform(withIndexes);

/** The body of `POST /v1/videos/generations` (spec §6). */
export const videoRequest = schemaFor(({ model }) =>
	model === undefined || model === GENERATION_MODEL ? knownRequest : otherRequest,
);
