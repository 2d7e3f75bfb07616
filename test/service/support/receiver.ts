import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json } from './sandbox';

/** A callback as it arrived. */
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

const open: Server[] = [];

afterEach(async () => {
	await Promise.all(
		open.splice(0).map((server) => {
			server.closeAllConnections();
			return new Promise((resolve) => server.close(resolve));
		}),
	);
});

/** @param answers what the callbacks are answered, one after the other; the last is repeated */
export async function receiver(...answers: Answer[]): Promise<Receiver> {
	const arrivals: Arrival[] = [];
	let busy = 0;
	let busiest = 0;
	const server = createServer((request, response) => {
		busiest = Math.max(busiest, ++busy);
		response.once('close', () => busy--);
		const chunks: Buffer[] = [];
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		request.on('end', () => {
			const answer = answers[Math.min(arrivals.length, answers.length - 1)] ?? 200;
			arrivals.push({
				path: request.url ?? '',
				body: JSON.parse(Buffer.concat(chunks).toString() || 'null') as Json,
				contentType: request.headers['content-type'],
			});
			if (typeof answer === 'number') response.writeHead(answer).end('noted');
			else if (typeof answer === 'function') answer(response);
		});
	});
	open.push(server);
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		arrivals,
		busiest: () => busiest,
	};
}
