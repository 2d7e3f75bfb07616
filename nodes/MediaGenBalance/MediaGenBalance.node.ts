import { type INodeType, NodeConnectionTypes } from 'n8n-workflow';

import { asTool, type NodeDescription, related } from '../shared/n8n/builderHint';
import { describeNode, subtitleOf } from '../shared/n8n/describe';
import { executeOf } from '../shared/n8n/failedItems';
import { check } from './operations/check';
import { get } from './operations/get';
import { report } from './operations/report';

const operations = [get, check, report];

const OUTPUTS = `={{ $parameter["operation"] === "check"
	? [{ type: "${NodeConnectionTypes.Main}", displayName: "Enough" }, { type: "${NodeConnectionTypes.Main}", displayName: "Low" }]
	: ["${NodeConnectionTypes.Main}"] }}` as const;

export class MediaGenBalance implements INodeType {
	description: NodeDescription = {
		...describeNode('MediaGen Balance', operations),
		name: 'mediaGenBalance',
		icon: { light: 'file:mediaGenBalance.svg', dark: 'file:mediaGenBalance.dark.svg' },
		subtitle: subtitleOf(operations),
		description: 'Get the remaining credits and what was spent, and branch when the balance is low',
		usableAsTool: asTool('Tells what is left of the balance and what was spent. Costs nothing.'),
		builderHint: {
			searchHint:
				'Operation check has two outputs, Enough and Low: put it before nodes that buy many tasks, instead of an If node.',
			relatedNodes: [related('mediaGenBalanceTool', 'The same as a tool of an AI Agent')],
		},
		outputs: OUTPUTS,
	};

	execute = executeOf(operations);
}
