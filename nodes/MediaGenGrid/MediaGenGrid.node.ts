import type { INodeType } from 'n8n-workflow';

import { asTool, type NodeDescription, related, taskHint } from '../shared/n8n/builderHint';
import { describeNode, pausing, subtitleOf } from '../shared/n8n/describe';
import { executeOf } from '../shared/n8n/failedItems';
import { taskResource } from '../shared/tasks/operations';
import { webhookOf } from '../shared/tasks/resume';
import { getButtons } from './buttons';
import { lowVariation } from './operations/lowVariation';
import { reroll } from './operations/reroll';
import { variation } from './operations/variation';

const operations = [variation, lowVariation, reroll, ...taskResource('grid')];

export class MediaGenGrid implements INodeType {
	description: NodeDescription = {
		...describeNode('MediaGen Grid', operations),
		name: 'mediaGenGrid',
		icon: { light: 'file:mediaGenGrid.svg', dark: 'file:mediaGenGrid.dark.svg' },
		subtitle: subtitleOf(operations),
		description: 'Make variations of a picture in a grid of four, or re-roll the whole grid',
		usableAsTool: asTool(
			'Varies or re-rolls a grid of four pictures and returns their links. Every call costs money.',
		),
		builderHint: taskHint(
			'A new grid is resource task, operation submit. All others work on a grid, whose taskId they read from the incoming item.',
			related('mediaGenGridTool', 'The same as a tool of an AI Agent'),
		),
		...pausing,
	};

	methods = { loadOptions: { getButtons } };

	webhook = webhookOf('grid');

	execute = executeOf(operations);
}
