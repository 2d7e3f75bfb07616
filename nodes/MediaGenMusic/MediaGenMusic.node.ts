import { NodeConnectionTypes } from 'n8n-workflow';
import type {
	IExecuteFunctions,
	ILoadOptionsFunctions,
	INodeExecutionData,
	INodeListSearchResult,
	INodeType,
	INodeTypeDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { mediaGenApiTest } from '../shared/api/credentialTest';
import { INSTRUMENTAL_VERSIONS, MUSIC_MODELS, MUSIC_VERSIONS, MUSICAL_KEYS, STEM_TYPES } from '../shared/api/music';
import { describeOperations, runOperation, subtitleOf } from '../shared/n8n/describe';
import { searchValues, titledValues } from '../shared/n8n/openValues';
import { callbackWebhook } from '../shared/n8n/options';
import { taskOperations } from '../shared/tasks/operations';
import { resumeOnCallback } from '../shared/tasks/resume';
import { addInstrumental } from './operations/addInstrumental';
import { addStem } from './operations/addStem';
import { addVocals } from './operations/addVocals';
import { coverSong } from './operations/coverSong';
import { crop } from './operations/crop';
import { extend } from './operations/extend';
import { fadeIn } from './operations/fadeIn';
import { sample } from './operations/sample';
import { sounds } from './operations/sounds';
import { stems } from './operations/stems';
import { upsampleTags } from './operations/upsampleTags';

const operations = [
	sample,
	coverSong,
	extend,
	addInstrumental,
	addVocals,
	addStem,
	crop,
	stems,
	fadeIn,
	sounds,
	upsampleTags,
	...taskOperations('music'),
];

export class MediaGenMusic implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'MediaGen Music',
		name: 'mediaGenMusic',
		icon: { light: 'file:mediaGenMusic.svg', dark: 'file:mediaGenMusic.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: subtitleOf(operations),
		description: 'Make, cover, extend, crop and take apart songs, and generate sounds',
		defaults: { name: 'MediaGen Music' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'mediaGenApi', required: true, testedBy: 'mediaGenApiTest' }],
		webhooks: callbackWebhook,
		properties: describeOperations(operations),
	};

	methods = {
		credentialTest: { mediaGenApiTest },
		listSearch: {
			async searchInstrumentalVersions(this: ILoadOptionsFunctions, filter?: string): Promise<INodeListSearchResult> {
				return await searchValues(INSTRUMENTAL_VERSIONS, filter);
			},
			async searchKeys(this: ILoadOptionsFunctions, filter?: string): Promise<INodeListSearchResult> {
				return await searchValues(MUSICAL_KEYS, filter);
			},
			async searchModels(this: ILoadOptionsFunctions, filter?: string): Promise<INodeListSearchResult> {
				return await searchValues(MUSIC_MODELS, filter);
			},
			async searchStemTypes(this: ILoadOptionsFunctions, filter?: string): Promise<INodeListSearchResult> {
				return await titledValues(STEM_TYPES, filter);
			},
			async searchVersions(this: ILoadOptionsFunctions, filter?: string): Promise<INodeListSearchResult> {
				return await searchValues(MUSIC_VERSIONS, filter);
			},
		},
	};

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await resumeOnCallback(this, 'music');
	}

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await runOperation(this, operations);
	}
}
