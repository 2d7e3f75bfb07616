import type { INodeProperties } from 'n8n-workflow';

import * as spec from '../../../shared/api/video';
import {
	additionalFieldsOf,
	type ListedValue,
	listField,
	NOT_SENT,
	NOT_SET,
	openValueField,
	optionsOf,
	promptField,
	rowsField,
	textField,
	toOptions,
} from '../../../shared/n8n/fields';
import { LIST_SOURCES, pictureFields, pictureListFields } from '../../../shared/n8n/pictureFields';

const OMNI: ListedValue = { name: 'VidOmni V3 Omni', value: spec.GENERATION_MODEL };

/** What "Model" lists: the clips of the last two can be extended (spec §5). */
export const MODELS: readonly ListedValue[] = [
	OMNI,
	{ name: 'VidGen 3.1 Fast (Can Be Extended)', value: 'vidgen3.1-fast' },
	{ name: 'VidGen 3.1 Quality (Can Be Extended)', value: 'vidgen3.1-quality' },
];

/** Pictures to start from: as a plain list, or with roles, never both (spec §6, rules 1, 3 and 4). */
const imageFields: INodeProperties[] = [
	listField({
		displayName: 'Images',
		name: 'imageInput',
		options: optionsOf({
			none: ['None'],
			firstFrame: ['First Frame', 'The video begins with this picture'],
			firstAndLastFrame: ['First and Last Frame', 'The video leads from one picture to the other'],
			references: ['References', 'Pictures that the prompt refers to'],
			roles: ['With Roles', 'Any number of pictures, each with a role'],
		}),
		description:
			'Pictures to start from. In the prompt &lt;&lt;&lt;image_1&gt;&gt;&gt; stands for the first of them.',
	}),
	...pictureFields({
		name: 'firstFrame',
		label: 'First Frame',
		property: 'data',
		show: { imageInput: ['firstFrame', 'firstAndLastFrame'] },
	}),
	...pictureFields({
		name: 'lastFrame',
		label: 'Last Frame',
		property: 'data_2',
		show: { imageInput: ['firstAndLastFrame'] },
	}),
	listField({
		displayName: 'References',
		name: 'referenceSource',
		options: LIST_SOURCES,
		displayOptions: { show: { imageInput: ['references'] } },
	}),
	...pictureListFields({
		choice: 'referenceSource',
		show: { imageInput: ['references'] },
		description: 'Public addresses. With a feature video only one: the first frame.',
	}),
	rowsField({
		displayName: 'Images With Roles',
		name: 'imageWithRoles',
		displayOptions: { show: { imageInput: ['roles'] } },
		description: 'A last frame needs a first frame too',
		row: 'Image',
		values: [
			textField({
				displayName: 'Input Data Field Name',
				name: 'binaryProperty',
				placeholder: 'e.g. data',
				hint: 'The name of the input binary field that holds the picture, in place of a URL. It is uploaded first.',
			}),
			listField({
				displayName: 'Role',
				name: 'role',
				options: toOptions(spec.IMAGE_ROLES),
				displayOptions: { hide: { '/referType': ['base'] } },
			}),
			listField({
				displayName: 'Role',
				name: 'role',
				options: toOptions(['reference']),
				displayOptions: { show: { '/referType': ['base'] } },
				description: 'A video that is edited takes no first or last frame',
			}),
			textField({
				displayName: 'URL',
				name: 'url',
				placeholder: 'e.g. https://example.com/picture.png',
			}),
		],
	}),
];

const formatFields: INodeProperties[] = [
	{
		displayName: 'Duration (Seconds)',
		name: 'duration',
		type: 'number',
		typeOptions: {
			minValue: spec.VIDEO_DURATION.min,
			maxValue: spec.VIDEO_DURATION.max,
			numberPrecision: 0,
		},
		default: NOT_SET,
		placeholder: String(spec.VIDEO_DURATION.default),
		description: 'From 3 to 15. Empty means 5. An edited video keeps its own.',
	},
	listField({
		displayName: 'Aspect Ratio',
		name: 'aspectRatio',
		options: [NOT_SENT, ...toOptions(spec.VIDEO_ASPECT_RATIOS)],
		description: 'The ratio of a given image may take precedence',
	}),
];

/** A video to start from: one to edit, or one to take features from (spec §6, rules 5 and 6). */
const videoFields: INodeProperties[] = [
	listField({
		displayName: 'Video',
		name: 'referType',
		options: optionsOf({
			none: ['None'],
			base: ['Edit a Video', 'A video of 3 to 10 seconds. The result is as long as the video.'],
			feature: [
				'Take Features From a Video',
				'The new video takes features of it. MP4 or MOV, at least 3 seconds, 720 to 2160 px, 24 to 60 fps, at most 200 MB',
			],
		}),
		description: 'A video to start from. With one, the service makes no new sound.',
	}),
	textField({
		displayName: 'Video URL',
		// Not `required`: n8n would also ask for it where an expression gives "Video".
		name: 'videoUrl',
		placeholder: 'e.g. https://example.com/clip.mp4',
		displayOptions: { show: { referType: ['base', 'feature'] } },
		description: 'A public address',
	}),
];

/** Several shots in one video; their numbers are filled in (spec §6, rule 7). */
const shotFields: INodeProperties[] = [
	{
		displayName: 'Multiple Shots',
		name: 'multiShot',
		type: 'boolean',
		default: false,
		description: 'Whether the video is made of several shots',
	},
	listField({
		displayName: 'Shot Type',
		name: 'shotType',
		options: toOptions(spec.SHOT_TYPES, {
			customize: 'You say what each shot shows, and for how long',
			intelligence: 'The service divides the prompt into shots',
		}),
		displayOptions: { show: { multiShot: [true] } },
	}),
	rowsField({
		displayName: 'Shots',
		name: 'multiPrompt',
		typeOptions: { multipleValues: true, sortable: true, multipleValueButtonText: 'Add Shot' },
		displayOptions: { show: { multiShot: [true], shotType: ['customize'] } },
		description:
			'One to six shots, in their order. Their durations must add up to the duration of the video.',
		row: 'Shot',
		values: [
			{
				displayName: 'Duration (Seconds)',
				name: 'duration',
				type: 'number',
				typeOptions: { minValue: spec.MIN_SHOT_DURATION, numberPrecision: 0 },
				default: NOT_SET,
				placeholder: 'e.g. 3',
				description: 'A whole number',
			},
			textField({
				displayName: 'Prompt',
				name: 'prompt',
				typeOptions: { rows: 2 },
				placeholder: 'e.g. The boat leaves the harbour',
			}),
		],
	}),
];

/** Subjects that look the same throughout (spec §6, rule 8). */
const elementField = rowsField({
	displayName: 'Elements',
	name: 'elementList',
	description:
		'Up to three subjects that look the same throughout. In the prompt @name stands for one.',
	row: 'Element',
	values: [
		textField({
			displayName: 'Description',
			name: 'description',
			placeholder: 'e.g. A sailor with a red beard',
		}),
		textField({
			displayName: 'Image URLs',
			name: 'elementInputUrls',
			typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Image URL' },
			default: [],
			placeholder: 'e.g. https://example.com/front.png',
			description:
				'Two to four pictures, including those from the input data. The first is the front view.',
		}),
		textField({
			displayName: 'Input Data Field Name',
			name: 'binaryProperties',
			placeholder: 'e.g. front, side',
			hint: 'The names of the input binary fields that hold pictures, separated by commas. They are uploaded first.',
		}),
		textField({
			displayName: 'Name',
			name: 'name',
			placeholder: 'e.g. sailor',
			description: 'The name by which the prompt mentions it, without the at sign',
		}),
	],
});

const additionalFields = additionalFieldsOf([
	{
		displayName: 'Audio',
		name: 'audio',
		type: 'boolean',
		default: true,
		description: 'Whether to make the video with sound. For a given video the service makes none.',
	},
	elementField,
	listField({
		displayName: 'Keep Original Sound',
		name: 'keepOriginalSound',
		options: toOptions(spec.KEEP_ORIGINAL_SOUND),
		displayOptions: { show: { '/referType': ['base', 'feature'] } },
		description: 'What happens to the sound of the given video',
	}),
	textField({
		displayName: 'Negative Prompt',
		name: 'negativePrompt',
		typeOptions: { rows: 2 },
		placeholder: 'e.g. blur, text',
		description: 'What the video must not show, in at most 2500 characters',
	}),
	listField({
		displayName: 'Resolution',
		name: 'mode',
		options: [
			NOT_SENT,
			...toOptions(spec.VIDEO_MODES, {}, { std: '720p', pro: '1080p', '4k': '4K' }),
		],
	}),
	{
		displayName: 'Watermark',
		name: 'watermark',
		type: 'boolean',
		default: true,
		description: 'Whether to put a watermark on the video',
	},
]);

/** The fields of a generation. Each choice comes before the fields that it controls. */
export const generateFields: INodeProperties[] = [
	openValueField({
		displayName: 'Model',
		name: 'model',
		preset: OMNI,
		searchListMethod: 'searchGenerationModels',
		placeholder: `e.g. ${spec.GENERATION_MODEL}`,
		description:
			'The model that makes the video. The operation Extend continues clips of the VidGen models only; the specification does not show them here.',
	}),
	promptField({
		typeOptions: { rows: 2 },
		placeholder: 'e.g. A lighthouse in the fog, the camera circles it',
		description:
			'What the video shows. &lt;&lt;&lt;image_1&gt;&gt;&gt; stands for a given image, @name for an element.',
	}),
	...imageFields,
	...formatFields,
	...videoFields,
	...shotFields,
	additionalFields,
];
