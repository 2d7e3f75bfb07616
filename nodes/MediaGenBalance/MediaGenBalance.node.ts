import { NodeConnectionTypes } from 'n8n-workflow';
import type { IExecuteFunctions, INodeExecutionData, INodeType } from 'n8n-workflow';

import { type NodeDescription, related } from '../shared/n8n/builderHint';
import { describeOperations, subtitleOf } from '../shared/n8n/describe';
import { runOperation } from '../shared/n8n/runOperation';
import { mediaGenApiTest } from '../shared/api/credentialTest';
import { check } from './operations/check';
import { get } from './operations/get';
import { report } from './operations/report';

const operations = [get, check, report];

const OUTPUTS = `={{ $parameter["operation"] === "check"
	? [{ type: "${NodeConnectionTypes.Main}", displayName: "Enough" }, { type: "${NodeConnectionTypes.Main}", displayName: "Low" }]
	: ["${NodeConnectionTypes.Main}"] }}` as const;

export class MediaGenBalance implements INodeType {
	description: NodeDescription = {
		displayName: 'MediaGen Balance',
		name: 'mediaGenBalance',
		icon: { light: 'file:mediaGenBalance.svg', dark: 'file:mediaGenBalance.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: subtitleOf(operations),
		description: 'Get the remaining credits and what was spent, and branch when the balance is low',
		defaults: { name: 'MediaGen Balance' },
		usableAsTool: {
			replacements: {
				description: 'Tells what is left of the balance and what was spent. Costs nothing.',
			},
		},
		builderHint: {
			searchHint:
				'Operation check has two outputs, Enough and Low: put it before nodes that buy many tasks, instead of an If node.',
			relatedNodes: [related('mediaGenBalanceTool', 'The same as a tool of an AI Agent')],
		},
		inputs: [NodeConnectionTypes.Main],
		outputs: OUTPUTS,
		credentials: [{ name: 'mediaGenApi', required: true, testedBy: 'mediaGenApiTest' }],
		properties: describeOperations(operations),
	};

	methods = { credentialTest: { mediaGenApiTest } };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await runOperation(this, operations);
	}
}
