import { submission } from '../../shared/tasks/execute';
import { generateBody } from '../generateBody';
import { generateFields } from '../generateFields';
import { generateNotes } from '../notes';
import { videoRequest } from '../videoRequest';

/** Text to video, image to video and editing (spec §6): `POST /v1/videos/generations`. */
export const generate = submission({
	family: 'video',
	resource: { name: 'Video', value: 'video' },
	name: 'Generate',
	value: 'generate',
	action: 'Generate a video',
	description: 'Make a video from a prompt, from images, or from another video',
	fields: generateFields,
	schema: videoRequest,
	toBody: generateBody,
	toRequest: (body) => ({ path: '/v1/videos/generations', body }),
	notes: generateNotes,
});
