import { z } from 'zod/v3';
import { invalid } from '../core/errors';
import { imageReference, parse, PHRASES, requiredText, webhookField } from '../core/http/parse';
import type { PriceKey } from '../core/prices';
import type { Service } from '../core/service';
import { PICTURE_FORMATS } from '../media/picture';
import { nearestRatio, type Size } from '../media/size';
import {
	brokenPixelRule,
	LITE_RATIOS,
	officialSize,
	parsePixels,
	RESOLUTIONS,
	sizeOfRatio,
} from './sizes';

/** Model names that mean the same (spec, 3b). */
const MODEL_ALIASES: Readonly<Record<string, string>> = {
	'lite-2-lite': 'imgfast-3.1-flash-lite-image',
	'lite-2-lite-ext': 'imgfast-3.1-flash-lite-image-ext',
};

const OFFICIAL_MODEL = 'imagegen-2-official';
const LITE_MODELS = ['imgfast-3.1-flash-lite-image', 'imgfast-3.1-flash-lite-image-ext'] as const;

const MEGABYTE = 1024 * 1024;
const SQUARE: Size = { width: 1024, height: 1024 };

/** Limits on reference images, by model family; sizes in bytes. */
const OFFICIAL_LIMITS = { count: 16, each: 20 * MEGABYTE, total: 256 * MEGABYTE };
const LITE_LIMITS = { count: 14, each: 10 * MEGABYTE, dataUris: true };

const prompt = z.string().min(1, 'is required');
const n = z.number({ invalid_type_error: 'must be a JSON number' }).int().min(1).max(4).default(1);

const references = (most: number) =>
	z.array(imageReference).max(most, `at most ${most} reference images`).optional();

/** `imagegen-2-official` (spec, 3a). Size and mask depend on other fields and are checked afterwards. */
const officialSchema = z
	.object({
		model: z.literal(OFFICIAL_MODEL),
		prompt,
		size: z.string().default('1:1'),
		resolution: z.enum(RESOLUTIONS).default('1k'),
		quality: z.enum(['auto', 'low', 'medium', 'high']).default('auto'),
		background: z.enum(['auto', 'opaque', 'transparent']).default('auto'),
		moderation: z.enum(['auto', 'low']).default('auto'),
		output_format: z.enum(PICTURE_FORMATS).default('png'),
		output_compression: z.number().int().min(0).max(100).optional(),
		n,
		image_urls: references(OFFICIAL_LIMITS.count),
		mask_url: z.string().min(1).optional(),
		webhook: webhookField,
	})
	.refine((body) => body.mask_url === undefined || (body.image_urls?.length ?? 0) > 0, {
		path: ['mask_url'],
		message: 'requires image_urls',
	});

/** The lite models (spec, 3b). */
const liteSchema = z.object({
	model: z.enum(LITE_MODELS),
	prompt,
	size: z.enum(['auto', ...LITE_RATIOS]).default('auto'),
	resolution: z.enum(['1K', '2K', '4K', '0.5K']).default('1K'),
	n,
	image_urls: references(LITE_LIMITS.count),
	webhook: webhookField,
});

/** A model that the spec does not name: sizes are used where the sandbox understands them. */
const otherSchema = z.object({
	model: z.string(),
	prompt,
	size: z.string().default('1:1'),
	resolution: z.string().default('1k'),
	output_format: z.string().default('png'),
	n,
	image_urls: z.array(imageReference).optional(),
	mask_url: z.string().optional(),
	webhook: webhookField,
});

/** A valid image request. */
export interface ImageRequest {
	size: Size;
	/** The fields that take effect. */
	applied: Record<string, unknown> & {
		model: string;
		prompt: string;
		n: number;
		image_urls?: string[];
		output_format?: string;
		output_compression?: number;
		webhook?: string;
	};
	/** What was changed silently. */
	notes?: string[];
	/** Name of one picture in the price table. */
	item: PriceKey;
}

const namedModel = z.object({ model: requiredText }).passthrough();

/**
 * Validates the body of `POST /v1/images/generations` (spec, section 3).
 * @throws ServiceError 400
 */
export async function imageRequest(service: Service, body: unknown): Promise<ImageRequest> {
	const { model: named, ...fields } = parse(namedModel, body);
	const input = { ...fields, model: MODEL_ALIASES[named] ?? named };
	const { strict, extraModels } = service.settings;
	if (input.model === OFFICIAL_MODEL) return official(service, parse(officialSchema, input));
	if (!LITE_MODELS.some((known) => known === input.model)) {
		if (strict && !extraModels.includes(input.model)) {
			throw invalid(
				`model: must be ${OFFICIAL_MODEL}, ${LITE_MODELS.join(', ')}, or an alias of these`,
			);
		}
		return other(service, parse(otherSchema, input));
	}
	if (strict && 'mask_url' in input)
		throw invalid('mask_url: this model does not repaint with a mask');
	return lite(service, parse(liteSchema, input));
}

async function official(
	service: Service,
	request: z.output<typeof officialSchema>,
): Promise<ImageRequest> {
	review(request.prompt, request.moderation === 'low');
	const { image_urls: images = [], mask_url: mask, resolution, background } = request;
	const { output_compression: _forOtherFormats, ...others } = request;
	const effective = request.output_format === 'png' ? others : request;
	const size = officialSize(request.size, resolution);
	await service.references.check(images, 'image_urls', OFFICIAL_LIMITS);
	if (mask !== undefined) await checkMask(service, mask, images[0] ?? '');
	const wasTransparent = background === 'transparent';
	return {
		size,
		applied: wasTransparent ? { ...effective, background: 'auto' } : effective,
		notes: wasTransparent ? ['background: transparent became auto'] : [],
		item: `imagegen-2-official-${resolution}`,
	};
}

async function lite(service: Service, request: z.output<typeof liteSchema>): Promise<ImageRequest> {
	review(request.prompt, false);
	const { image_urls: images = [], resolution } = request;
	await service.references.check(images, 'image_urls', LITE_LIMITS);
	const ratio = request.size === 'auto' ? await ratioLike(service, images[0]) : request.size;
	return {
		size: sizeOfRatio(ratio, '1k') ?? SQUARE,
		applied: { ...request, resolution: '1K' },
		notes: resolution === '1K' ? [] : [`resolution: ${resolution} became 1K`],
		item: request.model,
	};
}

async function other(
	service: Service,
	applied: z.output<typeof otherSchema>,
): Promise<ImageRequest> {
	review(applied.prompt, false);
	await service.references.check(applied.image_urls ?? [], 'image_urls', { dataUris: true });
	const pixels = parsePixels(applied.size);
	const ownSize = pixels && !brokenPixelRule(pixels) ? pixels : SQUARE;
	return { size: sizeOfRatio(applied.size, '1k') ?? ownSize, applied, item: 'other-image' };
}

function review(text: string, loose: boolean): void {
	if (text.includes(PHRASES.unsafe) || (!loose && text.includes(PHRASES.borderline))) {
		throw invalid('prompt: refused by the safety review');
	}
}

async function checkMask(service: Service, maskUrl: string, firstUrl: string): Promise<void> {
	await service.references.check([maskUrl], 'mask_url', OFFICIAL_LIMITS);
	const mask = await service.references.inspect(maskUrl);
	if (mask && !mask.hasAlpha) throw invalid('mask_url: the mask has no alpha channel');
	const first = await service.references.inspect(firstUrl);
	if (mask && first && (mask.width !== first.width || mask.height !== first.height)) {
		throw invalid(
			`mask_url: ${mask.width}x${mask.height}, the first reference image is ${first.width}x${first.height}`,
		);
	}
}

/** "For image-to-image the upstream ratio applies": that of the first reference, if the sandbox knows it. */
async function ratioLike(service: Service, reference: string | undefined): Promise<string> {
	const image = reference === undefined ? null : await service.references.inspect(reference);
	return image ? nearestRatio(image, LITE_RATIOS) : '1:1';
}
