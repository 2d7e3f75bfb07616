import { flag, integer, oneOf, text, webUrl } from '../shared/util/schema';
import {
	ELEMENT_PICTURES,
	GENERATION_MODEL,
	IMAGE_ROLES,
	KEEP_ORIGINAL_SOUND,
	MAX_ELEMENTS,
	MAX_NEGATIVE_PROMPT,
	MAX_VIDEOS,
	MIN_SHOT_DURATION,
	REFER_TYPES,
	SHOT_TYPES,
	SHOTS,
	VIDEO_ASPECT_RATIOS,
	VIDEO_DURATION,
	VIDEO_MODES,
} from '../shared/api/video';
import { PendingUpload } from '../shared/n8n/pendingUpload';
import type { RequestBody } from '../shared/tasks/prepare';
import { z } from '../shared/util/vendor/zod';
import { checkVideoRules } from './videoRules';

/** A URL, or a picture of the workflow's own that will have one once it is uploaded. */
const picture = z.unknown().superRefine((value, issues) => {
	if (value instanceof PendingUpload) return;
	for (const issue of webUrl().safeParse(value).error?.issues ?? []) issues.addIssue(issue);
});

const list = <Item extends z.ZodTypeAny>(item: Item) =>
	z.array(item, { required_error: 'is required', invalid_type_error: 'must be a list' });

const imageWithRole = z.object({ url: picture, role: oneOf(IMAGE_ROLES) });

const video = z.object({
	video_url: webUrl(),
	refer_type: oneOf(REFER_TYPES).optional(),
	keep_original_sound: oneOf(KEEP_ORIGINAL_SOUND).optional(),
});

const shot = z.object({ prompt: text(), duration: integer(MIN_SHOT_DURATION) });

const element = z.object({
	name: text(),
	description: text(),
	element_input_urls: list(picture)
		.min(ELEMENT_PICTURES.min, `must have at least ${ELEMENT_PICTURES.min} pictures`)
		.max(ELEMENT_PICTURES.max, `must have at most ${ELEMENT_PICTURES.max} pictures`),
});

/** The fields of spec §6, each by itself. */
const fields = z.object({
	model: z.literal(GENERATION_MODEL).default(GENERATION_MODEL),
	prompt: text().optional(),
	negative_prompt: text(MAX_NEGATIVE_PROMPT).optional(),
	mode: oneOf(VIDEO_MODES).optional(),
	duration: integer(VIDEO_DURATION.min, VIDEO_DURATION.max).optional(),
	aspect_ratio: oneOf(VIDEO_ASPECT_RATIOS).optional(),
	image_urls: list(picture).optional(),
	image_with_roles: list(imageWithRole).optional(),
	video_list: list(video).max(MAX_VIDEOS, `must have at most ${MAX_VIDEOS} video`).optional(),
	multi_shot: flag().optional(),
	shot_type: oneOf(SHOT_TYPES).optional(),
	multi_prompt: list(shot)
		.min(SHOTS.min, `must have at least ${SHOTS.min} shot`)
		.max(SHOTS.max, `must have at most ${SHOTS.max} shots`)
		.optional(),
	element_list: list(element).max(MAX_ELEMENTS, `must have at most ${MAX_ELEMENTS} elements`).optional(),
	watermark: flag().optional(),
	audio: flag().optional(),
});

export type VideoFields = z.infer<typeof fields>;

/** The shots count from 1 upwards, in the order in which they were given (spec §6, rule 7). */
function withIndexes({ multi_prompt: shots, ...body }: VideoFields): RequestBody {
	return shots === undefined
		? body
		: { ...body, multi_prompt: shots.map((given, at) => ({ index: at + 1, ...given })) };
}

/** The body of `POST /v1/videos/generations` (spec §6). */
export const videoRequest = fields.superRefine(checkVideoRules).transform(withIndexes);
