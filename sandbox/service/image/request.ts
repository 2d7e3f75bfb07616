import { z } from 'zod/v3';
import { LITE_RATIOS, RESOLUTIONS } from './sizes';
import { imageReference, webhookField } from '../core/http/submission';

/** Model names that mean the same (spec, 3b). */
export const MODEL_ALIASES: Readonly<Record<string, string>> = {
	'lite-2-lite': 'imgfast-3.1-flash-lite-image',
	'lite-2-lite-ext': 'imgfast-3.1-flash-lite-image-ext',
};

export const OFFICIAL_MODEL = 'imagegen-2-official';
export const LITE_MODELS = ['imgfast-3.1-flash-lite-image', 'imgfast-3.1-flash-lite-image-ext'] as const;

const MEGABYTE = 1024 * 1024;

/** Limits on reference pictures, by model family; sizes in bytes. */
export const REFERENCE_LIMITS = {
	official: { count: 16, each: 20 * MEGABYTE, total: 256 * MEGABYTE, dataUris: false },
	lite: { count: 14, each: 10 * MEGABYTE, total: Infinity, dataUris: true },
} as const;

const prompt = z.string().min(1, 'is required');
const n = z.number({ invalid_type_error: 'must be a JSON number' }).int().min(1).max(4).default(1);

const references = (most: number) => z.array(imageReference).max(most, `at most ${most} reference images`).optional();

/** `imagegen-2-official` (spec, 3a). Sizes and the mask are looked at afterwards, for they depend on one another. */
export const officialImageSchema = z
	.object({
		model: z.literal(OFFICIAL_MODEL),
		prompt,
		size: z.string().default('1:1'),
		resolution: z.enum(RESOLUTIONS).default('1k'),
		quality: z.enum(['auto', 'low', 'medium', 'high']).default('auto'),
		background: z.enum(['auto', 'opaque', 'transparent']).default('auto'),
		moderation: z.enum(['auto', 'low']).default('auto'),
		output_format: z.enum(['png', 'jpeg', 'webp']).default('png'),
		output_compression: z.number().int().min(0).max(100).optional(),
		n,
		image_urls: references(REFERENCE_LIMITS.official.count),
		mask_url: z.string().min(1).optional(),
		webhook: webhookField,
	})
	.refine((body) => body.output_compression === undefined || body.output_format !== 'png', {
		path: ['output_compression'],
		message: 'only for jpeg and webp',
	})
	.refine((body) => body.mask_url === undefined || (body.image_urls?.length ?? 0) > 0, {
		path: ['mask_url'],
		message: 'requires image_urls',
	});

/** The lite models (spec, 3b). */
export const liteImageSchema = z.object({
	model: z.enum(LITE_MODELS),
	prompt,
	size: z.enum(['auto', ...LITE_RATIOS]).default('auto'),
	resolution: z.enum(['1K', '2K', '4K', '0.5K']).default('1K'),
	n,
	image_urls: references(REFERENCE_LIMITS.lite.count),
	mask_url: z.undefined({ invalid_type_error: 'this model does not repaint with a mask' }),
	webhook: webhookField,
});

export type OfficialImageRequest = z.output<typeof officialImageSchema>;
export type LiteImageRequest = z.output<typeof liteImageSchema>;
