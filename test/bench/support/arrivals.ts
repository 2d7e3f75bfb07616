import { type LocalServer, openServer } from '../../support/server';

/**
 * The server that the node behind the measured one calls: what arrives here is the moment at which a workflow goes on.
 * It answers `GET /<task id>` and notes the first call of each.
 */
export interface Arrivals extends LocalServer {
	/** Task id → epoch milliseconds. */
	at: Map<string, number>;
}

export async function openArrivals(): Promise<Arrivals> {
	const at: Arrivals['at'] = new Map();
	const server = await openServer((request, response) => {
		const taskId = (request.url ?? '').slice(1);
		if (!at.has(taskId)) at.set(taskId, Date.now());
		response.setHeader('content-type', 'application/json').end('{}');
	});
	return { ...server, at };
}
