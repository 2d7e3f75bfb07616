import type { ServerResponse } from 'node:http';
import { type LocalServer, openServer } from '../../support/server';
import type { Json } from './sandbox';

export interface Arrival {
	path: string;
	body: Json;
	contentType: string | undefined;
}

export interface Receiver {
	/** Base address to give as `webhook`. */
	url: string;
	arrivals: Arrival[];
	/** Callbacks being answered at the same moment, at most. */
	busiest: () => number;
}

type Answer = number | 'never' | ((response: ServerResponse) => void);

const open: LocalServer[] = [];

afterEach(async () => {
	await Promise.all(open.splice(0).map(async (server) => await server.close()));
});

/** @param answers what the callbacks are answered, one after the other; the last is repeated */
export async function receiver(...answers: Answer[]): Promise<Receiver> {
	const arrivals: Arrival[] = [];
	let busy = 0;
	let busiest = 0;
	const server = await openServer(({ url = '', headers }, response, body) => {
		busiest = Math.max(busiest, ++busy);
		response.once('close', () => busy--);
		const answer = answers[Math.min(arrivals.length, answers.length - 1)] ?? 200;
		arrivals.push({
			path: url,
			body: JSON.parse(body.toString() || 'null') as Json,
			contentType: headers['content-type'],
		});
		if (typeof answer === 'number') response.writeHead(answer).end('noted');
		else if (typeof answer === 'function') answer(response);
	});
	open.push(server);
	return { url: server.url, arrivals, busiest: () => busiest };
}
