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
import { flag, integer, schemaFor, text, webUrl } from '../../../shared/util/schema';
import { z } from '../../../shared/util/vendor/zod';
import { checkVideoRules, type VideoFields } from './rules';

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
