import type { INodeExecutionData, INodeParameters, INodeType } from 'n8n-workflow';

import { MediaGenChatCache } from '../../../nodes/MediaGenChatCache/MediaGenChatCache.node';
import { MediaGenGrid } from '../../../nodes/MediaGenGrid/MediaGenGrid.node';
import { MediaGenImage } from '../../../nodes/MediaGenImage/MediaGenImage.node';
import { MediaGenMusic } from '../../../nodes/MediaGenMusic/MediaGenMusic.node';
import { MediaGenVideo } from '../../../nodes/MediaGenVideo/MediaGenVideo.node';
import { type RunOptions, runNode } from './engine';

/** Stand for the ids of two earlier tasks: a completed one, and one that still runs. */
export const PARENT = 'parent_1';
export const RUNNING = 'running_1';

type Cell = string | number;

/** A parameter, a value that is right, one that must be refused, and the label of the field. */
type Mistake = [parameter: string, right: Cell, wrong: Cell, label: string];

interface Entry {
	/** The smallest input that is valid. */
	smallest: INodeParameters;
	/** The request that it becomes; none where nothing is bought, and for chat, whose answers are no tasks. */
	path?: string;
	body?: object;
	/** Three mistakes, one of them repeated where the operation has fewer. None where nothing is bought. */
	mistakes?: [Mistake, Mistake, Mistake];
	/** What has to be set for a mistake to count. */
	beside?: INodeParameters;
}

const task: Mistake = ['taskId', PARENT, '', 'Task ID'];
const track: Mistake = ['audioIndex', 1, 0, 'Track Number'];
const prompt: Mistake = ['prompt', 'A pier', '', 'Prompt'];
const count: Mistake = ['n', 1, 99, 'Number of Images'];
const tags: Mistake = ['tags', 'folk', '', 'Tags'];
const running: Mistake = ['taskId', PARENT, RUNNING, 'Task ID'];

const parent = { taskId: PARENT };
const sent = { task_id: PARENT };
/** The panel takes the track from the item, or the first one. */
const sentTrack = { ...sent, audio_index: 1 };
const url = 'https://pictures.example.com/1.png';

const music = (operation: string, entry: Omit<Entry, 'path'>): Entry => ({
	path: `/v1/music/generations/${operation}`,
	...entry,
});

/** A song of another one, in either mode. */
const song = (operation: string) =>
	music(operation, {
		smallest: parent,
		body: sentTrack,
		mistakes: [task, track, ['additionalFields.styleWeight', 0.5, 2, 'Style Weight']],
		beside: { custom: true },
	});

const picked = (operation: string): Entry => ({
	smallest: { ...parent, index: 2 },
	path: `/v1/gridart/generations/${operation}`,
	body: { ...sent, index: 2 },
	mistakes: [task, ['index', 2, 5, 'Picture Number'], running],
});

const chat: Entry = {
	smallest: { model: 'vendor-chat-1', prompt: 'Why?', maxTokens: 100 },
	mistakes: [
		['prompt', 'Why?', '', 'Question'],
		['maxTokens', 100, 0, 'Max Tokens'],
		['prompt', 'Why?', '', 'Question'],
	],
};

const picture = { model: 'imagegen-2-official', prompt: 'A pier' };

/** Every operation that buys. A new one is one entry here: all suites take their rows from this table. */
const BUYING: Record<string, Entry> = {
	'music.sample': music('sample', {
		smallest: { ...parent, startS: 1, endS: 4 },
		body: { ...sentTrack, start_s: 1, end_s: 4 },
		mistakes: [
			task,
			['startS', 1, '', 'Sample Start (Seconds)'],
			['endS', 4, 'late', 'Sample End (Seconds)'],
		],
	}),
	'music.coverSong': song('coverSong'),
	'music.extend': song('extend'),
	'music.addInstrumental': song('addInstrumental'),
	'music.addVocals': song('addVocals'),
	'music.addStem': song('addStem'),
	'music.crop': music('crop', {
		smallest: { ...parent, startS: 1, endS: 4 },
		body: { ...sentTrack, start_s: 1, end_s: 4 },
		mistakes: [task, ['startS', 1, 'soon', 'Start (Seconds)'], ['endS', 4, '', 'End (Seconds)']],
	}),
	'music.stems': music('stems', {
		smallest: parent,
		body: { ...sentTrack, stem_type: 'lead_vocal' },
		mistakes: [task, task, track],
	}),
	'music.fadeIn': music('fadeIn', {
		smallest: parent,
		body: sentTrack,
		mistakes: [task, task, track],
	}),
	'music.sounds': music('sounds', {
		smallest: { prompt: 'Rain' },
		body: { prompt: 'Rain' },
		mistakes: [
			['additionalFields.bpm', 90, 'fast', 'BPM'],
			['additionalFields.bpm', 90, 90.5, 'BPM'],
			['additionalFields.bpm', 90, '9O', 'BPM'],
		],
	}),
	'music.upsampleTags': music('upsampleTags', {
		smallest: { tags: 'folk' },
		body: { tags: 'folk' },
		mistakes: [tags, tags, tags],
	}),
	'image.generate': {
		smallest: picture,
		path: '/v1/images/generations',
		body: picture,
		mistakes: [prompt, count, ['size', '1:1', 'wide', 'Size']],
	},
	'image.edit': {
		smallest: { ...picture, imageSource: 'url', imageUrl: url },
		path: '/v1/images/generations',
		body: { ...picture, image_urls: [url] },
		mistakes: [prompt, count, ['imageUrl', url, 'pier.png', 'Image URL']],
	},
	'grid.variation': picked('variation'),
	'grid.lowVariation': picked('low-variation'),
	'grid.reroll': {
		smallest: parent,
		path: '/v1/gridart/generations/reroll',
		body: sent,
		mistakes: [task, task, running],
	},
	'video.generate': {
		smallest: { prompt: 'Waves' },
		path: '/v1/videos/generations',
		body: { model: 'vidomni-v3-omni', prompt: 'Waves' },
		mistakes: [
			['duration', 5, 60, 'Duration'],
			['duration', 5, 'long', 'Duration'],
			['additionalFields.negativePrompt', 'people', 'x'.repeat(2_501), 'Negative Prompt'],
		],
	},
	'video.remix': {
		smallest: parent,
		path: `/v1/videos/${PARENT}/remix`,
		body: { model: 'vidgen3.1-fast' },
		mistakes: [task, task, task],
	},
	'chat.message': chat,
	'chat.completion': chat,
};

/** What all task families have. */
const TASK: Record<string, Entry> = {
	'task.get': { smallest: parent },
	'task.wait': { smallest: parent },
	'task.submit': {
		smallest: { path: '/v1/some/new/endpoint', bodyType: 'json', body: '{"prompt": "Rain"}' },
		path: '/v1/some/new/endpoint',
		body: { prompt: 'Rain' },
		mistakes: [
			['path', '/v1/some/new/endpoint', '', 'Path'],
			['body', '{"prompt":"Rain"}', 'Rain', 'JSON Body'],
			['path', '/v1/some/new/endpoint', 'https://elsewhere.example.com/', 'Path'],
		],
	},
};

const NODES: Record<string, () => INodeType> = {
	music: () => new MediaGenMusic(),
	image: () => new MediaGenImage(),
	grid: () => new MediaGenGrid(),
	video: () => new MediaGenVideo(),
	chat: () => new MediaGenChatCache(),
};

export interface TestedOperation extends Entry {
	/** Its node's name and its place in the panel: "MediaGen Music, music: crop". */
	title: string;
	/** `music`, `image`, `grid`, `video` or `chat`: what the node is for. */
	family: string;
	node: INodeType;
	resource: string;
	operation: string;
}

function entryOf(family: string, name: string, entry: Entry): TestedOperation {
	const node = (NODES[family] ?? NODES.music)!();
	const [resource = '', operation = ''] = name.split('.');
	const title = `${node.description.displayName}, ${resource}: ${operation}`;
	return { title, family, node, resource, operation, ...entry };
}

/** Every operation of the nodes that buy, with the resource "Task" of each family. */
export const OPERATIONS: TestedOperation[] = [
	...Object.entries(BUYING).map(([name, entry]) => entryOf(name.split('.')[0]!, name, entry)),
	...['music', 'image', 'grid', 'video'].flatMap((family) =>
		Object.entries(TASK).map(([name, entry]) => entryOf(family, name, entry)),
	),
];

/** The operation of a node: `music.crop`, or `grid.task.get` for the resource "Task" of the grid node. */
export function operationOf(name: string): TestedOperation {
	const [family = '', ...place] = name.split('.');
	const [operation = '', resource = family] = place.reverse();
	const found = OPERATIONS.find(
		(each) => each.family === family && each.resource === resource && each.operation === operation,
	);
	if (!found) throw new Error(`${name} is not in the table of operations`);
	return found;
}

/** A node and its parameters: the smallest valid input of an operation, with others over it. */
export function inputOf(name: string, given: INodeParameters = {}) {
	const { node, resource, operation, smallest } = operationOf(name);
	return { node, parameters: { resource, operation, ...smallest, ...given } };
}

/** The service of the tests, of whichever kind. */
export type Service = { credential(): RunOptions['credential'] };

/** Runs an operation with its smallest valid input, and others over it, against the service of the tests. */
export const runnerOf =
	(service: Service) =>
	async (name: string, given: INodeParameters = {}, more: Partial<RunOptions> = {}) =>
		await runNode({ ...inputOf(name, given), credential: service.credential(), ...more });

/** Runs an operation with the given fields, and those alone, as a new node has them; it does not wait for the task. */
export const newNodeRunner =
	(service: Service, node: INodeType, resource: string) =>
	async (
		operation: string,
		given: object,
		items = [{ json: {} }] as INodeExecutionData[],
		more: Partial<RunOptions> = {},
	) =>
		await runNode({
			node,
			parameters: { resource, operation, waitMode: 'none', ...given },
			items,
			credential: service.credential(),
			...more,
		});
