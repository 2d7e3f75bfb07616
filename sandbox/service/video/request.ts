import { z } from 'zod/v3';
import { imageReference, parse, webhookField } from '../core/http/parse';
import type { Settings } from '../core/options';
import { VIDEO_RATIOS } from './clip';

export const VIDEO_MODEL = 'vidomni-v3-omni';

const jsonNumber = { invalid_type_error: 'must be a JSON number' };

const roleImage = z.object({
	url: z.string().min(1),
	role: z.enum(['first_frame', 'last_frame', 'reference']),
});

const referenceVideo = z.object({
	video_url: z.string().min(1, 'must not be empty'),
	refer_type: z.enum(['base', 'feature']).default('base'),
	keep_original_sound: z.enum(['no', 'yes']).default('no'),
});

const shot = z.object({
	index: z.number(jsonNumber).int(),
	prompt: z.string().min(1),
	duration: z.number(jsonNumber).int().min(1),
});

const element = z.object({
	name: z.string().min(1),
	description: z.string().min(1),
	element_input_urls: z.array(z.string().min(1)).min(2, '2 to 4 URLs').max(4, '2 to 4 URLs'),
});

/**
 * `POST /v1/videos/generations` (spec, section 6), field by field. Rules between fields come after it; the multi-shot
 * fields are read only where `multi_shot` is true.
 */
const videoSchema = z.object({
	model: z.literal(VIDEO_MODEL),
	prompt: z.string().optional(),
	negative_prompt: z.string().max(2500, 'at most 2500 characters').optional(),
	mode: z.enum(['std', 'pro', '4k']).default('std'),
	duration: z.number(jsonNumber).int().min(3).max(15).default(5),
	aspect_ratio: z.enum(VIDEO_RATIOS).default('16:9'),
	image_urls: z.array(imageReference).optional(),
	image_with_roles: z.array(roleImage).optional(),
	video_list: z.array(referenceVideo).max(1, 'at most 1 video').optional(),
	multi_shot: z.boolean().optional(),
	element_list: z.array(element).max(3, 'at most 3 subjects').optional(),
	watermark: z.boolean().optional(),
	audio: z.boolean().optional(),
	webhook: webhookField,
});

/** A model that the spec does not name, with its own modes, ratios and lengths. */
const otherVideoSchema = videoSchema.extend({
	model: z.string(),
	mode: z.string().default('std'),
	duration: z.number(jsonNumber).positive().default(5),
	aspect_ratio: z.string().default('16:9'),
});

export const shotTypeSchema = z.object({
	shot_type: z.enum(['customize', 'intelligence'], {
		required_error: 'is required when multi_shot is true',
	}),
});

export const multiPromptSchema = z.object({
	multi_prompt: z
		.array(shot, { required_error: 'is required when shot_type is customize' })
		.min(1, '1 to 6 shots')
		.max(6, '1 to 6 shots'),
});

export type VideoRequest = z.output<typeof otherVideoSchema>;

const namedModel = z.object({ model: z.string().min(1) });

/**
 * Validates the fields of a video request one by one; `rules` has what applies between fields.
 * @throws ServiceError 400
 */
export function videoRequest({ strict, extraModels }: Settings, body: unknown): VideoRequest {
	const named = namedModel.safeParse(body);
	const isOther =
		named.success &&
		named.data.model !== VIDEO_MODEL &&
		(!strict || extraModels.includes(named.data.model));
	return parse(isOther ? otherVideoSchema : videoSchema, body);
}
export type Shot = z.output<typeof shot>;

/** Models that can be extended, by name and alias (spec, section 5). */
export const REMIX_MODELS: Readonly<Record<string, 'vidgen3.1-fast' | 'vidgen3.1-quality'>> = {
	'vidgen3.1-fast': 'vidgen3.1-fast',
	'vidgen3.1-fast-ext': 'vidgen3.1-fast',
	'vidgen3.1-quality': 'vidgen3.1-quality',
	'vidgen3.1-quality-ext': 'vidgen3.1-quality',
};

export const remixSchema = z.object({
	model: z.string({ required_error: 'is required' }),
	prompt: z.string().optional(),
	raw: z.boolean().default(false),
	aspect_ratio: z.enum(['16:9', '9:16']).optional(),
	resolution: z.enum(['720p', '1080p', '4k']).default('720p'),
	webhook: webhookField,
});
