import type { INodeType } from 'n8n-workflow';

import { asTool, type NodeDescription, related, taskHint } from '../shared/n8n/builderHint';
import { describeNode, pausing, subtitleOf } from '../shared/n8n/describe';
import { searchListed } from '../shared/n8n/fields';
import { executeOf } from '../shared/n8n/failedItems';
import { taskResource } from '../shared/tasks/operations';
import { webhookOf } from '../shared/tasks/resume';
import { edit } from './operations/edit';
import { generate } from './operations/generate';
import { MODELS } from './operations/generate/fields';

const operations = [generate, edit, ...taskResource('image')];

export class MediaGenImage implements INodeType {
	description: NodeDescription = {
		...describeNode('MediaGen Image', operations),
		name: 'mediaGenImage',
		icon: { light: 'file:mediaGenImage.svg', dark: 'file:mediaGenImage.dark.svg' },
		subtitle: subtitleOf(operations),
		description: 'Generate AI images: text to image, image to image, editing, and inpainting',
		usableAsTool: asTool(
			'Generates or edits images from a prompt and returns their links. Every call costs money.',
		),
		builderHint: taskHint(
			'Operation edit changes one picture, operation generate does everything else.',
			related('mediaGenImageTool', 'The same as a tool of an AI Agent'),
			related('mediaGenVideo', 'Makes a clip from the picture'),
		),
		...pausing,
	};

	webhook = webhookOf('image');

	methods = { listSearch: { searchModels: searchListed(MODELS) } };

	execute = executeOf(operations);
}
