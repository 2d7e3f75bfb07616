import type { Host } from '../../../sandbox/host';

interface Shown {
	/** The page of the documentation that shows it. */
	page: string;
	name: string;
	type: string;
	/** Default: 1. */
	typeVersion?: number;
	parameters: object;
	/** Labels that the panel shows among others, from top to bottom. */
	fields: string[];
}

/** Every node, set as somebody could have set it. */
export const SHOWCASE: Shown[] = [
	{
		page: 'image',
		fields: ['Model', 'Prompt', 'Reference Images', 'Size', 'Number of Images', 'Output'],
		name: 'MediaGen Image',
		type: 'mediaGenImage',
		parameters: {
			prompt: 'The same harbour in the first morning light, oil on canvas',
			referenceImages: 'url',
			imageUrls: ['https://example.com/harbour.png'],
			size: '3:2',
			n: 2,
			additionalFields: { resolution: '2k' },
		},
	},
	{
		page: 'music',
		fields: ['Task ID', 'Lyrics', 'Tags', 'Title'],
		name: 'MediaGen Music',
		type: 'mediaGenMusic',
		parameters: {
			operation: 'coverSong',
			custom: true,
			prompt: '[Verse]\nThe harbour lights are low,\nthe nets are hanging dry',
			tags: 'folk, accordion, slow',
			title: 'Harbour Lights',
			additionalFields: { vocalGender: 'Female' },
		},
	},
	{
		page: 'grid',
		fields: ['Task ID'],
		name: 'MediaGen Grid',
		type: 'mediaGenGrid',
		parameters: { index: 3, additionalFields: { speed: 'fast' }, output: 'files' },
	},
	{
		page: 'video',
		fields: ['Prompt', 'Images'],
		name: 'MediaGen Video',
		type: 'mediaGenVideo',
		parameters: {
			prompt: 'The boat leaves the harbour at dawn, gulls above it',
			imageInput: 'firstFrame',
			firstFrameSource: 'url',
			firstFrameUrl: 'https://example.com/harbour.png',
			aspectRatio: '16:9',
			duration: 8,
		},
	},
	{ page: 'upload', fields: ['Source'], name: 'MediaGen Upload', type: 'mediaGenUpload', parameters: { options: { fileName: 'harbour.png' } } },
	{
		page: 'balance',
		fields: ['Compare', 'Threshold'],
		name: 'MediaGen Balance',
		type: 'mediaGenBalance',
		parameters: { operation: 'check', compare: 'credits', threshold: 5_000 },
	},
	{
		page: 'chat-cache',
		fields: ['Model', 'Cached Blocks', 'Question'],
		name: 'MediaGen Chat Cache',
		type: 'mediaGenChatCache',
		parameters: {
			model: 'chat-large',
			cachedBlocks: { block: [{ text: '={{ $json.handbook }}', ttl: '1h' }] },
			prompt: 'Which license does a skipper need for a boat of 12 metres?',
		},
	},
	{ page: 'trigger', fields: ['Trigger On', 'Verify With Service'], name: 'MediaGen Trigger', type: 'mediaGenTrigger', typeVersion: 2, parameters: { output: 'files' } },
];

/** All of them on one canvas. */
export function showcase(credential: string): Parameters<Host['importWorkflow']>[0] {
	return {
		name: 'The Nodes',
		nodes: SHOWCASE.map(({ name, type, typeVersion = 1, parameters }, index) => ({
			id: type,
			name,
			type: `n8n-nodes-mediagen.${type}`,
			typeVersion,
			position: [220 * (index % 4), 220 * Math.floor(index / 4)],
			parameters,
			credentials: { mediaGenApi: { id: '', name: credential } },
		})),
		connections: {},
		settings: { executionOrder: 'v1' },
	};
}
