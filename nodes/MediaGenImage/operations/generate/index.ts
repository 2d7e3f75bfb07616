import { taskOperation } from '../../../shared/tasks/execute';
import { generateBody } from './body';
import { additionalFields, generateFields } from './fields';
import { imageNotes, imageRequest } from './request';

/** Text to image, image to image and repainting (spec §3): `POST /v1/images/generations`. */
export const generate = taskOperation({
	family: 'image',
	resource: { name: 'Image', value: 'image' },
	name: 'Generate',
	value: 'generate',
	action: 'Generate an image',
	description: 'Make pictures from a prompt, from other pictures, or by repainting part of one',
	fields: [...generateFields, additionalFields],
	advanced: [additionalFields],
	schema: imageRequest,
	toBody: generateBody,
	toRequest: (body) => ({ path: '/v1/images/generations', body }),
	notes: imageNotes,
});
