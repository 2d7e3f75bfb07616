import { randomUUID } from 'node:crypto';
import type { Host } from '../../sandbox/host';
import type { Sandbox } from '../../sandbox/service';
import { type Listening, listenWith } from '../e2e/support/executions';
import {
	chain,
	end,
	type Links,
	loopOver,
	mediaGen,
	MODEL,
	type NodeJson,
	startByWebhook,
	workflow,
} from '../e2e/support/nodes';

/** Requests that one node has in flight. */
export const CONCURRENCY = 3;

export const BUY = 'Buy';

interface Operation {
	title: string;
	type: string;
	parameters: object;
}

/** Purchases of each family. */
function operations(sandbox: Sandbox): Operation[] {
	const { originals } = sandbox;
	const track = originals.track().id;
	const grid = originals.grid().id;
	const video = originals.video().id;
	const prompt = '={{ $json.marker }}';
	const path = '/v1/gridart/generations/imagine';
	const imagine = { path, bodyType: 'json', body: '{"prompt": "A lighthouse"}' };
	const rows: Array<[title: string, place: string, parameters: object, type?: string]> = [
		['sounds', 'music.sounds', { prompt }],
		['cover', 'music.coverSong', { taskId: track, tags: 'folk' }],
		['image', 'image.generate', { model: MODEL, prompt }],
		['reroll', 'grid.reroll', { taskId: grid }],
		['imagine', 'task.submit', imagine, 'mediaGenGrid'],
		['video', 'video.generate', { prompt }],
		['remix', 'video.remix', { taskId: video }],
	];
	return rows.map(([title, place, parameters, given]) => {
		const [resource = '', operation] = place.split('.');
		const type = given ?? `mediaGen${resource.charAt(0).toUpperCase()}${resource.slice(1)}`;
		return { title, type, parameters: { resource, operation, ...parameters } };
	});
}

interface Way {
	title: string;
	waitMode: 'poll' | 'callback' | 'none';
	settings: object;
	/** The markers go through n8n's Loop Over Items, two at a time, to the node and back. */
	loop?: boolean;
}

const CONTINUES = { onError: 'continueRegularOutput' };
const RETRIES = { retryOnFail: true, maxTries: 3, waitBetweenTries: 300 };

/** Ways to wait, and what the node does when an item fails. */
const WAYS: Way[] = [
	{ title: 'poll, continues', waitMode: 'poll', settings: CONTINUES },
	{ title: 'callback, continues', waitMode: 'callback', settings: CONTINUES },
	{ title: 'poll, is retried', waitMode: 'poll', settings: RETRIES },
	{ title: 'no wait, fails', waitMode: 'none', settings: {} },
	{ title: 'poll, fails', waitMode: 'poll', settings: {} },
	{ title: 'poll, in a loop', waitMode: 'poll', settings: CONTINUES, loop: true },
	{ title: 'callback, in a loop', waitMode: 'callback', settings: CONTINUES, loop: true },
];

const MARKERS: NodeJson = {
	name: 'Markers',
	type: 'n8n-nodes-base.splitOut',
	parameters: { fieldToSplitOut: 'body.markers', options: { destinationFieldName: 'marker' } },
};

const OPTIONS = {
	concurrency: CONCURRENCY,
	pollInterval: 1,
	timeout: 60,
	includeInput: true,
	reference: '={{ $json.marker }}',
	additionalBodyFields: '={{ JSON.stringify({ soak: $json.marker }) }}',
};

const LOOP_LINKS: Links = { Go: 'Markers', Markers: 'Loop', Loop: ['End', BUY], [BUY]: 'Loop' };

/** An active workflow. A POST of `{ "markers": […] }` starts an execution that buys a task for each. */
export interface SoakWorkflow extends Listening {
	title: string;
}

/** Imports and activates workflows with every operation and every way at least once. */
export async function soakWorkflows(
	host: Host,
	sandbox: Sandbox,
	credential: string,
): Promise<SoakWorkflow[]> {
	const bought = operations(sandbox);
	const made: SoakWorkflow[] = [];
	for (let at = 0; at < 2 * WAYS.length; at++) {
		// Each operation in another way the second time.
		const operation = bought[(at + Math.floor(at / WAYS.length)) % bought.length];
		const way = WAYS[at % WAYS.length];
		if (!operation || !way) continue;
		const { waitMode } = way;
		const buys = { ...operation.parameters, waitMode, downloadFiles: false, options: OPTIONS };
		const buy = mediaGen(BUY, operation.type, credential, buys, way.settings);
		const start = startByWebhook(randomUUID());
		const title = `${operation.title}, ${way.title}`;
		const definition = way.loop
			? workflow(title, [start, MARKERS, loopOver('Loop', 2), buy, end], LOOP_LINKS)
			: chain(title, [start, MARKERS, buy, end]);
		made.push({ title, ...(await listenWith(host, definition)) });
	}
	return made;
}
