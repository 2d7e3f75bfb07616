import type { INodeProperties } from 'n8n-workflow';

import { additionalFields } from './fields/additional';
import { elementField } from './fields/elements';
import { imageFields } from './fields/images';
import { shotFields } from './fields/shots';
import { videoFields } from './fields/video';

/** The fields of a generation; the choices come before what they decide about. */
export const generateFields: INodeProperties[] = [
	{
		displayName: 'Prompt',
		name: 'prompt',
		type: 'string',
		typeOptions: { rows: 4 },
		default: '',
		placeholder: 'e.g. A lighthouse in the fog, the camera circles it',
		description: 'What the video shows. &lt;&lt;&lt;image_1&gt;&gt;&gt; stands for a given image, @name for an element.',
	},
	...imageFields,
	...videoFields,
	...shotFields,
	elementField,
	additionalFields,
];
