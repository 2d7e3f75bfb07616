import {
	COMPRESSIBLE_FORMATS,
	DATA_URI_TYPES,
	IMAGE_BACKGROUNDS,
	IMAGE_MODERATIONS,
	IMAGE_MODELS,
	IMAGE_QUALITIES,
	IMAGE_RATIOS,
	isLiteModel,
	isPixelSize,
	LITE_RATIOS,
	LITE_RESOLUTIONS,
	MAX_COMPRESSION,
	MAX_IMAGES,
	OFFICIAL_RESOLUTIONS,
	OUTPUT_FORMATS,
	REFERENCE_LIMITS,
} from '../shared/api/image';
import { integer, oneOf, text, webUrl } from '../shared/util/schema';
import { PendingUpload } from '../shared/n8n/pendingUpload';
import { z } from '../shared/util/vendor/zod';

const DATA_URI_HEAD = /^data:(image\/[a-z]+);base64$/;

const pending = z.instanceof(PendingUpload);

const dataUri = z.string().superRefine((value, issues) => {
	// The content is millions of characters: one pattern over all of it would exhaust the stack.
	const comma = value.indexOf(',');
	const [, type] = DATA_URI_HEAD.exec(value.slice(0, comma)) ?? [];
	const data = value.slice(comma + 1);
	const complain = (message: string) => issues.addIssue({ code: z.ZodIssueCode.custom, message });
	if (!DATA_URI_TYPES.some((known) => known === type) || data === '' || /[^A-Za-z0-9+/=]/.test(data)) {
		complain('must be a data URI of the form data:image/…;base64,… with a JPEG, PNG or WebP picture');
	} else if (Buffer.byteLength(data, 'base64') > REFERENCE_LIMITS.lite.bytes) {
		complain(`must have at most ${REFERENCE_LIMITS.lite.bytes} bytes`);
	}
});

const plainUrl = z.unknown().superRefine((value, issues) => {
	const message =
		typeof value === 'string' && value.startsWith('data:')
			? 'must be a URL: only the lite models take a data URI'
			: webUrl().safeParse(value).error?.issues[0]?.message;
	if (message !== undefined) issues.addIssue({ code: z.ZodIssueCode.custom, message });
});

const picture = (other: z.ZodTypeAny) =>
	z.unknown().superRefine((value, issues) => {
		if (pending.safeParse(value).success) return;
		for (const issue of other.safeParse(value).error?.issues ?? []) issues.addIssue(issue);
	});

const referenceList = (each: z.ZodTypeAny, limit: number) =>
	z
		.array(each, { invalid_type_error: 'must be a list of URLs' })
		.min(1, 'is required, unless "Reference Images" is None')
		.max(limit, `must have at most ${limit} pictures for this model`);

const uploadedBytes = (references: readonly unknown[]) =>
	references.reduce<number>(
		(total, reference) => total + (reference instanceof PendingUpload ? reference.bytes : 0),
		0,
	);

const common = {
	model: oneOf(IMAGE_MODELS),
	prompt: text(),
	n: integer(1, MAX_IMAGES).optional(),
};

const size = z.string({ invalid_type_error: 'must be text' });

const OFFICIAL_SIZES: readonly string[] = ['auto', ...IMAGE_RATIOS];

/** Request of the official model (spec §3a). */
const officialRequest = z
	.object({
		...common,
		size: size
			.refine(
				(value) => OFFICIAL_SIZES.includes(value) || isPixelSize(value),
				`must be one of ${OFFICIAL_SIZES.join(', ')}, or pixels such as 1536x1024`,
			)
			.optional(),
		pixel_size: size.refine(isPixelSize, 'must be pixels such as 1536x1024').optional(),
		resolution: oneOf(OFFICIAL_RESOLUTIONS).optional(),
		quality: oneOf(IMAGE_QUALITIES).optional(),
		background: oneOf(IMAGE_BACKGROUNDS).optional(),
		moderation: oneOf(IMAGE_MODERATIONS).optional(),
		output_format: oneOf(OUTPUT_FORMATS).optional(),
		output_compression: integer(0, MAX_COMPRESSION).optional(),
		image_urls: referenceList(picture(plainUrl), REFERENCE_LIMITS.official.count)
			.refine(
				(references) => uploadedBytes(references) <= REFERENCE_LIMITS.official.totalBytes,
				`must have at most ${REFERENCE_LIMITS.official.totalBytes} bytes in all`,
			)
			.optional(),
		mask_url: picture(plainUrl).optional(),
	})
	.superRefine((body, issues) => {
		const complain = (field: string, message: string) =>
			issues.addIssue({ code: z.ZodIssueCode.custom, path: [field], message });
		if (body.mask_url !== undefined && !body.image_urls?.length) {
			complain('mask_url', 'must come with a reference image, the one to be repainted');
		}
		const compressible = COMPRESSIBLE_FORMATS.some((format) => format === body.output_format);
		if (body.output_compression !== undefined && !compressible) {
			complain('output_compression', 'must come with the output format jpeg or webp');
		}
		if (body.pixel_size !== undefined && body.size !== undefined) {
			complain('pixel_size', 'must not be set together with "Size"');
		}
	})
	.transform(({ pixel_size, ...body }) =>
		pixel_size === undefined ? body : { ...body, size: pixel_size },
	);

const LITE_SIZES: readonly string[] = ['auto', ...LITE_RATIOS];

/** Request of a lite model (spec §3b). */
const liteRequest = z.object({
	...common,
	size: size
		.refine((value) => LITE_SIZES.includes(value), `must be one of ${LITE_SIZES.join(', ')}`)
		.optional(),
	resolution: oneOf(LITE_RESOLUTIONS).optional(),
	image_urls: referenceList(
		picture(
			z.unknown().superRefine((value, issues) => {
				const schema = typeof value === 'string' && value.startsWith('data:') ? dataUri : webUrl();
				for (const issue of schema.safeParse(value).error?.issues ?? []) issues.addIssue(issue);
			}),
		),
		REFERENCE_LIMITS.lite.count,
	).optional(),
});

const modelOf = z.object({ model: oneOf(IMAGE_MODELS) });

/** The body of `POST /v1/images/generations`, by the rules of the model it names. */
export const imageRequest = z.unknown().transform((given, issues) => {
	const named = modelOf.safeParse(given);
	const schema = named.success && isLiteModel(named.data.model) ? liteRequest : officialRequest;
	const read = named.success ? schema.safeParse(given) : named;
	if (read.success && 'prompt' in read.data) return stripUnset(read.data);
	for (const issue of read.error?.issues ?? []) issues.addIssue(issue);
	return z.NEVER;
});

/** A field that is there but undefined would still be a field. */
function stripUnset(body: Record<string, unknown>): Record<string, unknown> {
	return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
}
