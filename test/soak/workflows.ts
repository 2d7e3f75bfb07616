import { randomUUID } from 'node:crypto';
import type { Host } from '../../sandbox/host';
import type { Sandbox } from '../../sandbox/service';
import {
	end,
	type Links,
	mediaGenApi,
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

const twoByTwo: NodeJson = {
	name: 'Loop',
	type: 'n8n-nodes-base.splitInBatches',
	typeVersion: 3,
	parameters: { batchSize: 2, options: {} },
};

const LINKS: Links = { Go: 'Markers', Markers: BUY, [BUY]: 'End' };
const LOOP_LINKS: Links = { Go: 'Markers', Markers: 'Loop', Loop: ['End', BUY], [BUY]: 'Loop' };

/** An active workflow. A POST of `{ "markers": […] }` starts an execution that buys a task for each. */
export interface SoakWorkflow {
	id: string;
	url: string;
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
		const path = randomUUID();
		const markers: NodeJson = {
			name: 'Markers',
			type: 'n8n-nodes-base.splitOut',
			parameters: { fieldToSplitOut: 'body.markers', options: { destinationFieldName: 'marker' } },
		};
		const buy: NodeJson = {
			name: BUY,
			type: `n8n-nodes-mediagen.${operation.type}`,
			parameters: {
				...operation.parameters,
				waitMode: way.waitMode,
				downloadFiles: false,
				options: {
					concurrency: CONCURRENCY,
					pollInterval: 1,
					timeout: 60,
					includeInput: true,
					reference: '={{ $json.marker }}',
					additionalBodyFields: '={{ JSON.stringify({ soak: $json.marker }) }}',
				},
			},
			credentials: mediaGenApi(credential),
			...way.settings,
		};
		const title = `${operation.title}, ${way.title}`;
		const nodes = [startByWebhook(path), markers, buy, ...(way.loop ? [twoByTwo] : []), end];
		const links = way.loop ? LOOP_LINKS : LINKS;
		const { id } = await host.importWorkflow(workflow(title, nodes, links));
		await host.activate(id);
		made.push({ id, title, url: `${host.url}/webhook/${path}` });
	}
	return made;
}
