import { NodeConnectionTypes } from 'n8n-workflow';
import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';

import { describeOperations, runOperation, subtitleOf } from '../shared/n8n/describe';
import { mediaGenApiTest } from '../shared/api/credentialTest';
import { upload } from './operations/upload';

const operations = [upload];

export class MediaGenUpload implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'MediaGen Upload',
		name: 'mediaGenUpload',
		icon: { light: 'file:mediaGenUpload.svg', dark: 'file:mediaGenUpload.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: subtitleOf(operations),
		description: 'Host an image for 72 hours and get a public URL for it',
		defaults: { name: 'MediaGen Upload' },
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
