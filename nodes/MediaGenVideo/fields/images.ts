import type { INodeProperties } from 'n8n-workflow';

import { IMAGE_ROLES } from '../../shared/api/video';
import { toOptions } from '../../shared/n8n/optionLists';
import { referenceFields } from '../../shared/n8n/references';

const ROLE_NAMES = { first_frame: 'First Frame', last_frame: 'Last Frame', reference: 'Reference' };

const roleOptions = toOptions(IMAGE_ROLES, {}, ROLE_NAMES);

/** Pictures to start from: a plain list, or with roles, never both (spec §6, rules 1, 3 and 4). */
export const imageFields: INodeProperties[] = [
	{
		displayName: 'Images',
		name: 'imageInput',
		type: 'options',
		options: [
			{ name: 'From Input Data', value: 'binary' },
			{ name: 'From URLs', value: 'url' },
			{ name: 'From URLs and Input Data', value: 'both' },
			{ name: 'None', value: 'none' },
			{
				name: 'With Roles',
				value: 'roles',
				description: 'First frame, last frame or reference: the best way to turn an image into a video',
			},
		],
		default: 'none',
		description: 'Pictures to start from. In the prompt &lt;&lt;&lt;image_1&gt;&gt;&gt; stands for the first of them.',
	},
	...referenceFields('imageInput', 'Public addresses. Beside a feature video only one, the first frame.'),
	{
		displayName: 'Images With Roles',
		name: 'imageWithRoles',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Image' },
		placeholder: 'Add Image',
		default: {},
		displayOptions: { show: { imageInput: ['roles'] } },
		description: 'A last frame needs a first frame beside it',
		options: [
			{
				displayName: 'Image',
				name: 'image',
				values: [
					{
						displayName: 'Input Data Field Name',
						name: 'binaryProperty',
						type: 'string',
						default: '',
						placeholder: 'e.g. data',
						hint: 'The name of the input binary field that holds the picture, in place of a URL. It is uploaded first.',
					},
					{
						displayName: 'Role',
						name: 'role',
						type: 'options',
						options: roleOptions,
						default: 'first_frame',
						displayOptions: { hide: { '/referType': ['base'] } },
					},
					{
						displayName: 'Role',
						name: 'role',
						type: 'options',
						options: roleOptions.filter(({ value }) => value === 'reference'),
						default: 'reference',
						displayOptions: { show: { '/referType': ['base'] } },
						description: 'A video that is edited takes no first or last frame',
					},
					{
						displayName: 'URL',
						name: 'url',
						type: 'string',
						default: '',
						placeholder: 'e.g. https://example.com/picture.png',
					},
				],
			},
		],
	},
];
