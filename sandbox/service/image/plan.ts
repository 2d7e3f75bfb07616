import type { Account } from '../core/store/account';
import { invalid } from '../core/errors';
import {
	LITE_MODELS,
	liteImageSchema,
	MODEL_ALIASES,
	OFFICIAL_MODEL,
	officialImageSchema,
	REFERENCE_LIMITS,
	type LiteImageRequest,
	type OfficialImageRequest,
} from './request';
import { LITE_RATIOS, nearestRatio, parsePixels, pixelFault, sizeOfRatio, type Size } from './sizes';
import { parse, unknownFields } from '../core/http/parse';
import { PHRASES } from '../core/http/submission';
import type { Service } from '../core/service';
import { imageDraft, type ImageDraft } from './draft';
import type { Submission } from '../core/tasks/submit';

/**
 * Reads the body of `POST /v1/images/generations` (spec, section 3).
 * @throws ServiceError 400 for every rule it breaks
 */
export async function imageSubmission(service: Service, account: Account, path: string, body: unknown): Promise<Submission> {
	const model = modelOf(body);
	const input = { ...(body as Record<string, unknown>), model };
	const draft =
		model === OFFICIAL_MODEL
			? await official(service, parse(officialImageSchema, input))
			: await lite(service, parse(liteImageSchema, input));
	return { ...draft, account, path, body, ignored: unknownFields(body, [...Object.keys(draft.applied), 'webhook']) };
}

function modelOf(body: unknown): string {
	const named = typeof body === 'object' && body !== null && 'model' in body ? body.model : undefined;
	const model = typeof named === 'string' ? (MODEL_ALIASES[named] ?? named) : undefined;
	if (model === OFFICIAL_MODEL || LITE_MODELS.some((lite) => lite === model)) return model ?? '';
	throw invalid(`model: must be ${OFFICIAL_MODEL}, ${LITE_MODELS.join(', ')}, or an alias of these`);
}

async function official(service: Service, request: OfficialImageRequest): Promise<ImageDraft> {
	review(request.prompt, request.moderation === 'low');
	const size = officialSize(request);
	const references = request.image_urls ?? [];
	await service.references.check(references, REFERENCE_LIMITS.official);
	if (request.mask_url !== undefined) await checkMask(service, request.mask_url, references[0] ?? '');

	const { webhook, ...applied } = request;
	const notes: string[] = [];
	if (applied.background === 'transparent') {
		applied.background = 'auto';
		notes.push('background: transparent became auto');
	}
	return imageDraft({
		size,
		applied,
		notes,
		webhook,
		item: `imagegen-2-official-${request.resolution}`,
		format: request.output_format,
		compression: request.output_compression ?? null,
		references: references.length,
	});
}

async function lite(service: Service, request: LiteImageRequest): Promise<ImageDraft> {
	review(request.prompt, false);
	const references = request.image_urls ?? [];
	await service.references.check(references, REFERENCE_LIMITS.lite);

	const { webhook, ...applied } = request;
	const notes: string[] = [];
	if (applied.resolution !== '1K') {
		notes.push(`resolution: ${applied.resolution} became 1K`);
		applied.resolution = '1K';
	}
	const ratio = request.size === 'auto' ? await ratioLike(service, references[0]) : request.size;
	return imageDraft({
		size: sizeOfRatio(ratio, '1k') ?? { width: 1024, height: 1024 },
		applied,
		notes,
		webhook,
		item: request.model,
		format: 'png',
		compression: null,
		references: references.length,
	});
}

function review(prompt: string, loose: boolean): void {
	if (prompt.includes(PHRASES.unsafe) || (!loose && prompt.includes(PHRASES.borderline))) {
		throw invalid('prompt: refused by the safety review');
	}
}

function officialSize({ size, resolution }: OfficialImageRequest): Size {
	const known = sizeOfRatio(size === 'auto' ? '1:1' : size, resolution);
	if (known) return known;
	const pixels = parsePixels(size);
	if (!pixels) throw invalid(`size: ${size} is neither a ratio of the table nor <width>x<height>`);
	const fault = pixelFault(pixels);
	if (fault) throw invalid(`size: ${size}: ${fault}`);
	return pixels;
}

async function checkMask(service: Service, maskUrl: string, firstUrl: string): Promise<void> {
	await service.references.check([maskUrl], REFERENCE_LIMITS.official, 'mask_url');
	const mask = await service.references.inspect(maskUrl);
	if (mask && !mask.hasAlpha) throw invalid('mask_url: the mask has no alpha channel');
	const first = await service.references.inspect(firstUrl);
	if (mask && first && (mask.width !== first.width || mask.height !== first.height)) {
		throw invalid(`mask_url: ${mask.width}x${mask.height}, the first reference image is ${first.width}x${first.height}`);
	}
}

/** "For image-to-image the upstream ratio applies": that of the first reference, where the sandbox knows it. */
async function ratioLike(service: Service, reference: string | undefined): Promise<string> {
	const image = reference === undefined ? null : await service.references.inspect(reference);
	return image ? nearestRatio(image, LITE_RATIOS) : '1:1';
}
