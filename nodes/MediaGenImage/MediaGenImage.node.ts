import { NodeConnectionTypes } from 'n8n-workflow';
import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';

import { describeOperations, runOperation } from '../shared/operation';
import { taskOperations } from '../shared/tasks/taskOperations';
import { mediaGenApiTest } from '../shared/transport/credentialTest';
import { generate } from './operations/generate';

const operations = [generate, ...taskOperations('image')];

export class MediaGenImage implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'MediaGen Image',
		name: 'mediaGenImage',
		icon: { light: 'file:mediaGenImage.svg', dark: 'file:mediaGenImage.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
		description: 'Generate images from text, from other images, or by repainting',
		defaults: { name: 'MediaGen Image' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'mediaGenApi', required: true, testedBy: 'mediaGenApiTest' }],
		properties: describeOperations(operations),
	};

	methods = { credentialTest: { mediaGenApiTest } };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await runOperation(this, operations);
	}
}
