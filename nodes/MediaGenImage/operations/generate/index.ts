import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import {
	COMPRESSIBLE_FORMATS,
	DATA_URI_TYPES,
	IMAGE_BACKGROUNDS,
	IMAGE_MODERATIONS,
	IMAGE_QUALITIES,
	IMAGE_RATIOS,
	isLiteModel,
	LITE_MODELS,
	LITE_RATIOS,
	LITE_RESOLUTIONS,
	MAX_COMPRESSION,
	MAX_IMAGES,
	OFFICIAL_MODEL,
	OFFICIAL_RESOLUTIONS,
	OUTPUT_FORMATS,
	pixelsOf,
	REFERENCE_LIMITS,
} from '../../shared/api/image';
import { PICTURE_TYPES, UPLOAD_MAX_BYTES } from '../../shared/api/picture';
import { inspectPicture, splitNames } from '../../shared/n8n/binary';
import { toOptions } from '../../shared/n8n/optionLists';
import type { ParameterValues } from '../../shared/n8n/parameters';
import { referenceFields } from '../../shared/n8n/references';
import { submission } from '../../shared/tasks/execute';
import { toDataUri } from '../dataUri';
import { imageRequest } from '../imageRequest';

const PIXELS_BY_RATIO = IMAGE_RATIOS.map((ratio) => ({
	name: ratio,
	value: ratio,
	description: OFFICIAL_RESOLUTIONS.map(
		(resolution) => `${resolution}: ${(pixelsOf(ratio, resolution) ?? []).join(' or ')}`,
	).join(' · '),
}));

const AUTO = { name: 'Auto', value: 'auto', description: 'The service chooses' };

const officialOptions: INodeProperties[] = [
	{
		displayName: 'Background',
		name: 'background',
		type: 'options',
		options: toOptions(IMAGE_BACKGROUNDS, {
			transparent: 'The service draws this as Auto, without saying so',
		}),
		default: 'auto',
	},
	{
		displayName: 'Mask Input Data Field Name',
		name: 'maskBinaryProperty',
		type: 'string',
		default: '',
		placeholder: 'e.g. mask',
		displayOptions: { hide: { '/referenceImages': ['none'] } },
		hint: 'The name of the input binary field that holds the mask. It is uploaded first.',
		description: 'A picture with an alpha channel, of the same size as the first reference image',
	},
	{
		displayName: 'Mask URL',
		name: 'maskUrl',
		type: 'string',
		default: '',
		placeholder: 'e.g. https://example.com/mask.png',
		displayOptions: { hide: { '/referenceImages': ['none'] } },
		description: 'A picture with an alpha channel, of the same size as the first reference image',
	},
	{
		displayName: 'Moderation',
		name: 'moderation',
		type: 'options',
		options: toOptions(IMAGE_MODERATIONS, { low: 'Looser' }),
		default: 'auto',
	},
	{
		displayName: 'Number of Images',
		name: 'n',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: MAX_IMAGES },
		default: 1,
	},
	{
		displayName: 'Output Compression',
		name: 'outputCompression',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: MAX_COMPRESSION },
		default: 90,
		displayOptions: { show: { outputFormat: [...COMPRESSIBLE_FORMATS] } },
		description: 'From 0 to 100; for JPEG and WebP only',
	},
	{
		displayName: 'Output Format',
		name: 'outputFormat',
		type: 'options',
		options: toOptions(OUTPUT_FORMATS, {}, { png: 'PNG', jpeg: 'JPEG', webp: 'WebP' }),
		default: 'png',
	},
	{
		displayName: 'Pixel Size',
		name: 'pixelSize',
		type: 'string',
		default: '',
		placeholder: 'e.g. 1536x1024',
		description: 'Width and height in pixels, in place of Size',
	},
	{
		displayName: 'Quality',
		name: 'quality',
		type: 'options',
		options: toOptions(IMAGE_QUALITIES, {
			auto: 'Usually like Low',
			high: 'With the resolution 4k this takes more than two minutes',
		}),
		default: 'auto',
	},
	{
		displayName: 'Resolution',
		name: 'resolution',
		type: 'options',
		options: toOptions(OFFICIAL_RESOLUTIONS),
		default: '1k',
	},
	{
		displayName: 'Size',
		name: 'size',
		type: 'options',
		options: [AUTO, ...PIXELS_BY_RATIO],
		default: '1:1',
		description: 'Aspect ratio. Each option shows the pixels it has at every resolution.',
	},
];

const liteOptions: INodeProperties[] = [
	{
		displayName: 'Number of Images',
		name: 'n',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: MAX_IMAGES },
		default: 1,
	},
	{
		displayName: 'Resolution',
		name: 'resolution',
		type: 'options',
		options: toOptions(
			LITE_RESOLUTIONS,
			Object.fromEntries(
				LITE_RESOLUTIONS.slice(1).map((value) => [value, 'The service draws this as 1K, without saying so']),
			),
		),
		default: '1K',
	},
	{
		displayName: 'Send Input Data As',
		name: 'sendInputDataAs',
		type: 'options',
		options: [
			{ name: 'Upload', value: 'upload', description: 'Store the picture at the service first, for 72 hours' },
			{ name: 'Data URI', value: 'dataUri', description: 'Put the picture into the request, up to 10 MB each' },
		],
		default: 'upload',
		displayOptions: { show: { '/referenceImages': ['binary', 'both'] } },
	},
	{
		displayName: 'Size',
		name: 'size',
		type: 'options',
		options: [AUTO, ...toOptions(LITE_RATIOS)],
		default: '1:1',
		description: 'Aspect ratio. With reference images the service may keep theirs instead.',
	},
];

const fields: INodeProperties[] = [
	{
		displayName: 'Model',
		name: 'model',
		type: 'options',
		options: [
			{
				name: 'ImageGen 2 Official',
				value: OFFICIAL_MODEL,
				description: 'Text to image, image to image and repainting with a mask, up to 4k',
			},
			...LITE_MODELS.map((value) => ({ name: value, value, description: 'Fast, 1K, billed per token' })),
		],
		default: OFFICIAL_MODEL,
	},
	{
		displayName: 'Prompt',
		name: 'prompt',
		type: 'string',
		typeOptions: { rows: 4 },
		required: true,
		default: '',
		placeholder: 'e.g. A lighthouse in the fog, oil on canvas',
		description: 'What the picture shows. The service reviews it and refuses what violates its rules.',
	},
	{
		displayName: 'Reference Images',
		name: 'referenceImages',
		type: 'options',
		options: [
			{ name: 'None', value: 'none' },
			{ name: 'From URLs', value: 'url' },
			{ name: 'From Input Data', value: 'binary' },
			{ name: 'From URLs and Input Data', value: 'both' },
		],
		default: 'none',
		description: 'Pictures to start from: up to 16 with the official model, up to 14 with a lite one',
	},
	...referenceFields('referenceImages', 'Public addresses. A lite model also takes a data URI (data:image/png;base64,…).'),
	{
		displayName: 'Additional Fields',
		name: 'additionalFields',
		type: 'collection',
		placeholder: 'Add Field',
		default: {},
		displayOptions: { show: { model: [OFFICIAL_MODEL] } },
		options: officialOptions,
	},
	{
		displayName: 'Additional Fields',
		name: 'additionalFields',
		type: 'collection',
		placeholder: 'Add Field',
		default: {},
		displayOptions: { show: { model: [...LITE_MODELS] } },
		options: liteOptions,
	},
];

async function pictures(values: ParameterValues, context: IExecuteFunctions, itemIndex: number) {
	const lite = isLiteModel(values.model);
	const limits = lite ? REFERENCE_LIMITS.lite : REFERENCE_LIMITS.official;
	const asDataUri = lite && values.sendInputDataAs === 'dataUri';
	const rules = {
		field: 'Input Data Field Name',
		maxBytes: Math.min(limits.bytes, UPLOAD_MAX_BYTES),
		types: asDataUri ? DATA_URI_TYPES : PICTURE_TYPES,
	};
	const found: unknown[] = [];
	for (const property of splitNames(values.imageBinaryProperties)) {
		const picture = await inspectPicture(context, itemIndex, property, rules);
		found.push(asDataUri ? await toDataUri(context, picture) : picture);
	}
	return found;
}

async function toBody(values: ParameterValues, context: IExecuteFunctions, itemIndex: number) {
	const {
		referenceImages,
		imageUrls,
		imageBinaryProperties,
		maskBinaryProperty,
		sendInputDataAs: _,
		...body
	} = values;
	const urls = referenceImages === 'url' || referenceImages === 'both' ? [imageUrls ?? []].flat() : [];
	const own =
		referenceImages === 'binary' || referenceImages === 'both'
			? await pictures({ ...values, imageBinaryProperties }, context, itemIndex)
			: [];
	if (maskBinaryProperty !== undefined && values.maskUrl !== undefined) {
		throw new NodeOperationError(
			context.getNode(),
			`"Mask URL" must not be set together with "Mask Input Data Field Name" [item ${itemIndex}]`,
			{ itemIndex },
		);
	}
	const mask =
		maskBinaryProperty === undefined
			? undefined
			: await inspectPicture(context, itemIndex, splitNames(maskBinaryProperty)[0] ?? '', {
					field: 'Mask Input Data Field Name',
					maxBytes: UPLOAD_MAX_BYTES,
					types: PICTURE_TYPES,
				});
	const references = [...urls, ...own];
	return {
		...body,
		...(referenceImages === undefined || referenceImages === 'none' ? {} : { imageUrls: references }),
		...(mask ? { maskUrl: mask } : {}),
	};
}

/** Text to image, image to image and repainting (spec §3): `POST /v1/images/generations`. */
export const generate = submission({
	family: 'image',
	resource: { name: 'Image', value: 'image' },
	name: 'Generate',
	value: 'generate',
	action: 'Generate an image',
	description: 'Make pictures from a prompt, from other pictures, or by repainting part of one',
	fields,
	schema: imageRequest,
	toBody,
	toRequest: (body) => ({ path: '/v1/images/generations', body }),
	notes: ({ background, model, resolution }) => [
		...(background === 'transparent' ? ['The service draws a transparent background as Auto'] : []),
		...(isLiteModel(model) && typeof resolution === 'string' && resolution !== '1K'
			? [`The service draws the resolution ${resolution} of a lite model as 1K`]
			: []),
	],
});
