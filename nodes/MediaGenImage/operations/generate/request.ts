import * as spec from '../../../shared/api/image';
import { PendingUpload } from '../../../shared/n8n/binary';
import { unlistedNotes } from '../../../shared/n8n/parameters';
import { buyingOperation, type BuyingOperation } from '../../../shared/tasks/execute';
import type { RequestBody } from '../../../shared/tasks/prepare';
import { said } from '../../../shared/util/json';
import { integer, oneOf, schemaFor, text } from '../../../shared/util/schema';
import { z } from '../../../shared/util/vendor/zod';
import { anyLink, liteLink, officialLink } from './references';

const links = (link: z.ZodTypeAny, limit = Infinity) =>
	z.array(link).max(limit, `must have at most ${limit} pictures for this model`);

const uploadedBytes = (references: readonly unknown[]) =>
	references.reduce<number>(
		(total, reference) => total + (reference instanceof PendingUpload ? reference.bytes : 0),
		0,
	);

/** The fields of any model. They are sent as they are unless the spec states an error. */
const anyValues = {
	model: text(),
	prompt: text(),
	n: integer(1, spec.MAX_IMAGES).optional(),
	size: text().optional(),
	pixel_size: text().optional(),
	resolution: text().optional(),
	quality: text().optional(),
	background: text().optional(),
	moderation: text().optional(),
	output_format: text().optional(),
	output_compression: integer().optional(),
	image_urls: links(anyLink).optional(),
	mask_url: anyLink.optional(),
};

const OFFICIAL_SIZES = ['auto', ...spec.IMAGE_RATIOS];

/** Fields of the official model (spec §3a). */
const officialFields = z.object({
	...anyValues,
	size: text()
		.refine(
			(size) => OFFICIAL_SIZES.includes(size) || spec.isPixelSize(size),
			`must be one of ${OFFICIAL_SIZES.join(', ')}, or pixels such as 1536x1024`,
		)
		.optional(),
	pixel_size: text().refine(spec.isPixelSize, 'must be pixels such as 1536x1024').optional(),
	resolution: oneOf(spec.OFFICIAL_RESOLUTIONS).optional(),
	output_compression: integer(0, spec.MAX_COMPRESSION).optional(),
	image_urls: links(officialLink, spec.REFERENCE_LIMITS.official.count)
		.refine(
			(references) => uploadedBytes(references) <= spec.REFERENCE_LIMITS.official.totalBytes,
			`must have at most ${spec.REFERENCE_LIMITS.official.totalBytes} bytes in all`,
		)
		.optional(),
	mask_url: officialLink.optional(),
});

const LITE_SIZES = ['auto', ...spec.LITE_RATIOS];

/** Fields of a lite model (spec §3b). */
const liteFields = z.object({
	...anyValues,
	size: text()
		.refine((size) => LITE_SIZES.includes(size), `must be one of ${LITE_SIZES.join(', ')}`)
		.optional(),
	pixel_size: text()
		.refine(() => false, 'must not be set for a lite model, which takes ratios only')
		.optional(),
	image_urls: links(liteLink, spec.REFERENCE_LIMITS.lite.count).optional(),
});

/** "Pixel Size" is another way to say `size`. */
const withPixelSize = (fields: BuyingOperation['schema']) =>
	fields
		.refine(({ size, pixel_size }) => size === undefined || pixel_size === undefined, {
			path: ['pixel_size'],
			message: 'must not be set together with "Size"',
		})
		.transform(({ pixel_size: size, ...body }): RequestBody =>
			size === undefined ? body : { ...body, size },
		);

const officialRequest = withPixelSize(officialFields);
const liteRequest = withPixelSize(liteFields);
const otherRequest = withPixelSize(z.object(anyValues));

/** The body. Limits that depend on the model apply to the models of the spec only. */
const imageRequest = schemaFor(({ model }) => {
	if (spec.LITE_MODELS.has(model)) return liteRequest;
	return model === undefined || model === spec.OFFICIAL_MODEL ? officialRequest : otherRequest;
});

/** Fields of the official model that a lite model does not have (spec §3b), with their labels. */
const OFFICIAL_ONLY = {
	quality: 'Quality',
	background: 'Background',
	moderation: 'Moderation',
	output_format: 'Output Format',
	output_compression: 'Output Compression',
	mask_url: 'Mask',
};

const OFFICIAL_VALUES = {
	quality: spec.IMAGE_QUALITIES,
	background: spec.IMAGE_BACKGROUNDS,
	moderation: spec.IMAGE_MODERATIONS,
	output_format: spec.OUTPUT_FORMATS,
};

const officialNotes = (body: RequestBody) =>
	said(
		unlistedNotes(body, OFFICIAL_VALUES),
		body.background === 'transparent' && 'The service draws a transparent background as Auto',
		body.output_compression !== undefined &&
			(body.output_format ?? spec.DEFAULT_FORMAT) === spec.DEFAULT_FORMAT &&
			'"Output Compression" was sent, but it is for the formats JPEG and WebP only',
	);

function liteNotes(body: RequestBody): string[] {
	const others = Object.entries(OFFICIAL_ONLY).filter(([name]) => body[name] !== undefined);
	const drawn = spec.DRAWN_AS_1K.find((resolution) => resolution === body.resolution);
	return said(
		unlistedNotes(body, { resolution: spec.LITE_RESOLUTIONS }),
		drawn && `The service draws the resolution ${drawn} of a lite model as 1K`,
		others.map(([, label]) => `"${label}" was sent, but a lite model does not support it`),
	);
}

const imageNotes = (body: RequestBody) =>
	said(
		unlistedNotes(body, { model: spec.IMAGE_MODEL_NAMES }),
		body.model === spec.OFFICIAL_MODEL && officialNotes(body),
		spec.LITE_MODELS.has(body.model) && liteNotes(body),
	);

/** Creates an operation from its fields: `POST /v1/images/generations` (spec §3). */
export const imageOperation = (
	operation: Omit<BuyingOperation, 'family' | 'resource' | 'schema' | 'path' | 'notes'>,
) =>
	buyingOperation({
		...operation,
		family: 'image',
		resource: { name: 'Image', value: 'image' },
		schema: imageRequest,
		path: '/v1/images/generations',
		notes: imageNotes,
	});
