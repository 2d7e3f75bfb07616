import type { WorkflowDefinition } from '../../../sandbox/host';
import {
	chain,
	mediaGen,
	mediaGenApi,
	type NodeJson,
	startByHand,
	workflow,
} from '../support/nodes';

interface Shown {
	/** The page of the documentation that shows it. */
	page: string;
	name: string;
	type: string;
	/** Default: 1. */
	typeVersion?: number;
	parameters: object;
	/** The node before it, which makes what it starts from. */
	source?: NodeJson;
	/** Labels that the panel shows among others, from top to bottom. */
	fields: string[];
	/** How its output is shown: the JSON of its items, their files, or the first file itself. Absent: not. */
	result?: 'json' | 'binary' | 'file';
}

/** A task of an endpoint that only the sandbox shows. */
const customRequest = (name: string, type: string, path: string, body: object): NodeJson => ({
	name,
	type: `n8n-nodes-mediagen.${type}`,
	parameters: {
		resource: 'task',
		operation: 'submit',
		path,
		bodyType: 'json',
		body: JSON.stringify(body),
		downloadFiles: false,
	},
});

const HANDBOOK =
	'Every boat of more than ten meters carries two fire extinguishers, one of them beside the galley. ';

/** Every node, set as somebody could have set it. */
export const SHOWCASE: Shown[] = [
	{
		page: 'image',
		result: 'file',
		fields: ['Model', 'Prompt', 'Reference Images', 'Size', 'Number of Images', 'Output'],
		name: 'MediaGen Image',
		type: 'mediaGenImage',
		parameters: {
			prompt: 'The same harbor in the first morning light, oil on canvas',
			referenceImages: 'url',
			imageUrls: ['https://example.com/harbor.png'],
			size: '3:2',
			n: 2,
			additionalFields: { resolution: '2k' },
		},
	},
	{
		page: 'music',
		result: 'binary',
		source: customRequest('Song', 'mediaGenMusic', '/v1/music/generations/create', {
			prompt: 'Low water, slow bell',
			title: 'Slow Bell',
		}),
		fields: ['Task ID', 'Lyrics', 'Tags', 'Title'],
		name: 'MediaGen Music',
		type: 'mediaGenMusic',
		parameters: {
			operation: 'coverSong',
			custom: true,
			prompt: '[Verse]\nThe harbor lights are low,\nthe nets are hanging dry',
			tags: 'folk, accordion, slow',
			additionalFields: { title: 'Harbor Lights', vocalGender: 'Female' },
		},
	},
	{
		page: 'grid',
		result: 'file',
		source: customRequest('First Grid', 'mediaGenGrid', '/v1/gridart/generations/imagine', {
			prompt: 'a harbor at dawn',
		}),
		fields: ['Task ID'],
		name: 'MediaGen Grid',
		type: 'mediaGenGrid',
		parameters: { index: 3, additionalFields: { speed: 'fast' }, output: 'files' },
	},
	{
		page: 'video',
		result: 'file',
		fields: ['Prompt', 'Images'],
		name: 'MediaGen Video',
		type: 'mediaGenVideo',
		parameters: {
			prompt: 'The boat in <<<image_1>>> leaves the harbor at dawn',
			imageInput: 'firstFrame',
			firstFrameSource: 'url',
			firstFrameUrl: 'https://example.com/harbor.png',
			aspectRatio: '16:9',
			duration: 8,
		},
	},
	{
		page: 'upload',
		result: 'json',
		source: {
			name: 'Picture',
			type: 'n8n-nodes-mediagen.mediaGenImage',
			parameters: { prompt: 'A harbor in the morning', options: { fileName: 'harbor' } },
		},
		fields: ['Source'],
		name: 'MediaGen Upload',
		type: 'mediaGenUpload',
		parameters: { options: { fileName: 'harbor.png' } },
	},
	{
		page: 'balance',
		result: 'json',
		fields: ['Compare', 'Threshold'],
		name: 'MediaGen Balance',
		type: 'mediaGenBalance',
		parameters: { operation: 'check', compare: 'credits', threshold: 5_000 },
	},
	{
		page: 'chat-cache',
		result: 'json',
		source: {
			name: 'Handbook',
			type: 'n8n-nodes-base.set',
			typeVersion: 3.4,
			parameters: { mode: 'raw', jsonOutput: JSON.stringify({ handbook: HANDBOOK.repeat(60) }) },
		},
		fields: ['Model', 'Cached Blocks', 'Question'],
		name: 'MediaGen Chat Cache',
		type: 'mediaGenChatCache',
		parameters: {
			model: {
				__rl: true,
				mode: 'list',
				value: 'vendor-chat-1',
				cachedResultName: 'vendor-chat-1',
			},
			cachedBlocks: { block: [{ text: '={{ $json.handbook }}', ttl: '1h' }] },
			prompt: 'How many fire extinguishers does a boat of 12 meters need?',
		},
	},
	{
		page: 'trigger',
		fields: ['Trigger on Status', 'Verify With Service'],
		name: 'MediaGen Trigger',
		type: 'mediaGenTrigger',
		typeVersion: 2,
		parameters: {},
	},
];

const DISTANCE_PX = 220;

/** A row for each of them on one canvas: its source, if it has one, and itself, connected to one start. */
export function showcase(credential: string): WorkflowDefinition {
	const rows = SHOWCASE.map(({ name, type, typeVersion = 1, parameters, source }, row) => {
		const node = { name, type: `n8n-nodes-mediagen.${type}`, typeVersion, parameters };
		const nodes: NodeJson[] = source ? [source, node] : [node];
		return nodes.map((each, column) => ({
			...each,
			credentials: mediaGenApi(credential),
			position: [DISTANCE_PX * (column + 1), DISTANCE_PX * row],
		}));
	});
	const links = Object.fromEntries(
		rows.flatMap(([from, to]) => (from && to ? [[from.name, to.name] as const] : [])),
	);
	const first = rows.flatMap(([node]) => node?.name ?? []);
	return workflow('The Nodes', [startByHand, ...rows.flat()], {
		...links,
		[startByHand.name]: [first.filter((name) => !name.endsWith('Trigger'))],
	});
}

/** The workflow that the README builds. */
export function firstWorkflow(credential: string): WorkflowDefinition {
	const prompt = 'A lighthouse in the fog, oil on canvas';
	const picture = mediaGen('MediaGen Image', 'mediaGenImage', credential, { prompt });
	return chain('My First Picture', [startByHand, picture]);
}
