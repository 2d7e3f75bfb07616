import type { INodeType } from 'n8n-workflow';

import { asTool, type NodeDescription, related, taskHint } from '../shared/n8n/builderHint';
import { describeNode, pausing, subtitleOf } from '../shared/n8n/describe';
import { searchListed } from '../shared/n8n/fields';
import { executeOf } from '../shared/n8n/failedItems';
import { taskResource } from '../shared/tasks/operations';
import { webhookOf } from '../shared/tasks/resume';
import { generate } from './operations/generate';
import { MODELS } from './operations/generate/fields';
import { remix, REMIX_MODEL_LIST } from './operations/remix';

const operations = [generate, remix, ...taskResource('video')];

export class MediaGenVideo implements INodeType {
	description: NodeDescription = {
		...describeNode('MediaGen Video', operations),
		name: 'mediaGenVideo',
		icon: { light: 'file:mediaGenVideo.svg', dark: 'file:mediaGenVideo.dark.svg' },
		subtitle: subtitleOf(operations),
		description: 'Generate AI videos: text to video, image to video, editing, and extension',
		usableAsTool: asTool(
			'Generates or extends videos and returns their links. Every call costs money and takes minutes.',
		),
		builderHint: taskHint(
			'Operation generate takes text, pictures or a video; operation remix extends a video of this service.',
			related('mediaGenVideoTool', 'The same as a tool of an AI Agent'),
			related('mediaGenImage', 'Makes the first frame'),
		),
		...pausing,
	};

	methods = {
		listSearch: {
			searchGenerationModels: searchListed(MODELS),
			searchRemixModels: searchListed(REMIX_MODEL_LIST),
		},
	};

	webhook = webhookOf('video');

	execute = executeOf(operations);
}
