import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * The server that the node behind the measured one calls: what arrives here is the moment at which a workflow goes on.
 * It answers `GET /<task id>` and notes the first call of each.
 */
export class Arrivals {
	/** Task id → epoch milliseconds. */
	readonly at = new Map<string, number>();

	private constructor(
		readonly url: string,
		private readonly server: Server,
	) {}

	static async open(): Promise<Arrivals> {
		const server = createServer();
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		const { port } = server.address() as AddressInfo;
		const arrivals = new Arrivals(`http://127.0.0.1:${port}`, server);
		server.on('request', (request, response) => {
			const taskId = (request.url ?? '').slice(1);
			if (!arrivals.at.has(taskId)) arrivals.at.set(taskId, Date.now());
			response.setHeader('content-type', 'application/json').end('{}');
		});
		return arrivals;
	}

	async close(): Promise<void> {
		this.server.closeAllConnections();
		await new Promise((resolve) => this.server.close(resolve));
	}
}
