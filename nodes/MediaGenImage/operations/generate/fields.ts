import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import * as spec from '../../../shared/api/image';
import {
	additionalFieldsOf,
	type ListedValue,
	listField,
	NOT_SENT,
	NOT_SET,
	openValueField,
	optionsOf,
	promptField,
	textField,
	toOptions,
} from '../../../shared/n8n/fields';
import { LIST_SOURCES, pictureListFields } from '../../../shared/n8n/pictureFields';

const OFFICIAL: ListedValue = { name: 'ImageGen 2 Official', value: spec.OFFICIAL_MODEL };

/** What "Model" lists. The aliases of the lite models are accepted too. */
export const MODELS: readonly ListedValue[] = [
	OFFICIAL,
	{ name: 'ImgFast 3.1 Flash Lite', value: 'imgfast-3.1-flash-lite-image' },
	{ name: 'ImgFast 3.1 Flash Lite Ext', value: 'imgfast-3.1-flash-lite-image-ext' },
];

export const modelField = openValueField({
	displayName: 'Model',
	name: 'model',
	preset: OFFICIAL,
	searchListMethod: 'searchModels',
	placeholder: 'e.g. imagegen-2-official',
	description:
		'The official model makes up to 4k and repaints with a mask; the lite ones are fast, make 1K and are billed per token',
});

const AUTO = { name: 'Auto', value: 'auto', description: 'The service chooses a ratio' };

const liteModels = { '/model': [...spec.LITE_MODEL_NAMES] };

const PIXELS = Object.fromEntries(
	Object.entries(spec.SIZE_BY_RESOLUTION).map(([ratio, pixels]) => [
		ratio,
		spec.OFFICIAL_RESOLUTIONS.map(
			(resolution) => `${resolution}: ${pixels[resolution].join(' or ')}`,
		).join(' · '),
	]),
);

export const sizeFields: INodeProperties[] = [
	listField({
		displayName: 'Size',
		name: 'size',
		options: [NOT_SENT, AUTO, ...toOptions(spec.IMAGE_RATIOS, PIXELS)],
		displayOptions: { hide: { model: [...spec.LITE_MODEL_NAMES] } },
		description: 'Aspect ratio. Each option shows the pixels it has at every resolution.',
	}),
	listField({
		displayName: 'Size',
		name: 'size',
		options: [NOT_SENT, AUTO, ...toOptions(spec.LITE_RATIOS)],
		displayOptions: { show: { model: [...spec.LITE_MODEL_NAMES] } },
		description: 'Aspect ratio. With reference images the service may keep their ratio instead.',
	}),
];

export const countField: INodeProperties = {
	displayName: 'Number of Images',
	name: 'n',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: spec.MAX_IMAGES, numberPrecision: 0 },
	default: NOT_SET,
	placeholder: '1',
	description: 'From 1 to 4. Each picture is charged. Empty means one.',
};

// The mask is never hidden: n8n removes the values of hidden fields, and the picture would be bought without it.
const maskDescription =
	'A picture with an alpha channel, of the same size as the first reference image. The lite models do not repaint.';

const officialList = (displayName: string, name: string, options: INodePropertyOptions[]) =>
	listField({ displayName, name, options, displayOptions: { hide: liteModels } });

export const additionalFields = additionalFieldsOf([
	officialList(
		'Background',
		'background',
		toOptions(spec.IMAGE_BACKGROUNDS, { transparent: 'The service silently draws this as Auto' }),
	),
	textField({
		displayName: 'Mask Input Data Field Name',
		name: 'maskBinaryProperty',
		placeholder: 'e.g. mask',
		hint: 'The name of the input binary field that holds the mask. It is uploaded first.',
		description: maskDescription,
	}),
	textField({
		displayName: 'Mask URL',
		name: 'maskUrl',
		placeholder: 'e.g. https://example.com/mask.png',
		description: maskDescription,
	}),
	officialList('Moderation', 'moderation', toOptions(spec.IMAGE_MODERATIONS, { low: 'Looser' })),
	{
		displayName: 'Output Compression',
		name: 'outputCompression',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: spec.MAX_COMPRESSION },
		default: 90,
		displayOptions: {
			show: { outputFormat: [...spec.COMPRESSIBLE_FORMATS] },
			hide: liteModels,
		},
		description: 'From 0 to 100; for JPEG and WebP only',
	},
	officialList(
		'Output Format',
		'outputFormat',
		toOptions(spec.OUTPUT_FORMATS, {}, { png: 'PNG', jpeg: 'JPEG', webp: 'WebP' }),
	),
	textField({
		displayName: 'Pixel Size',
		name: 'pixelSize',
		placeholder: 'e.g. 1536x1024',
		displayOptions: { hide: liteModels },
		description: 'Width and height in pixels, in place of Size',
	}),
	officialList(
		'Quality',
		'quality',
		toOptions(spec.IMAGE_QUALITIES, {
			auto: 'Usually like Low',
			high: 'With the resolution 4k this takes more than two minutes',
		}),
	),
	officialList('Resolution', 'resolution', toOptions(spec.OFFICIAL_RESOLUTIONS)),
	listField({
		displayName: 'Resolution',
		name: 'resolution',
		options: toOptions(
			spec.LITE_RESOLUTIONS,
			Object.fromEntries(
				spec.DRAWN_AS_1K.map((value) => [value, 'The service silently draws this as 1K']),
			),
		),
		displayOptions: { show: liteModels },
	}),
	listField({
		displayName: 'Send Input Data As',
		name: 'sendInputDataAs',
		options: optionsOf({
			upload: ['Upload', 'Store the picture at the service first, for 72 hours'],
			dataUri: ['Data URI', 'Put the picture into the request, up to 10 MB each'],
		}),
		displayOptions: {
			show: { '/referenceImages': ['binary', 'both'] },
			hide: { '/model': [spec.OFFICIAL_MODEL] },
		},
	}),
]);

export const generateFields: INodeProperties[] = [
	modelField,
	promptField({
		required: true,
		placeholder: 'e.g. A lighthouse in the fog, oil on canvas',
		description:
			'What the picture shows. The service reviews it and refuses what violates its rules.',
	}),
	listField({
		displayName: 'Reference Images',
		name: 'referenceImages',
		options: [{ name: 'None', value: 'none' }, ...LIST_SOURCES],
		description:
			'Pictures to start from: up to 16 with the official model, up to 14 with a lite one',
	}),
	...pictureListFields({
		choice: 'referenceImages',
		description: 'Public addresses. A lite model also takes a data URI (data:image/png;base64,…).',
	}),
	...sizeFields,
	countField,
];
