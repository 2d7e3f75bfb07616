import { buyingOperation } from '../../../shared/tasks/execute';
import { generateBody } from './body';
import { generateFields } from './fields';
import { videoRequest } from './request';
import { videoNotes } from './rules';

/** Text to video, image to video and editing (spec §6): `POST /v1/videos/generations`. */
export const generate = buyingOperation({
	family: 'video',
	resource: { name: 'Video', value: 'video' },
	name: 'Generate',
	value: 'generate',
	action: 'Generate a video',
	description: 'Make a video from a prompt, from images, or from another video',
	fields: generateFields,
	schema: videoRequest,
	toBody: generateBody,
	path: '/v1/videos/generations',
	notes: videoNotes,
});
