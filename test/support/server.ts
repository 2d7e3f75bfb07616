import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server of a test's own. */
export interface LocalServer {
	/** Without a trailing slash. */
	url: string;
	/** Ends it and all of its connections. */
	close: () => Promise<void>;
}

/** Opens a server on a free port of this machine. `answer` is called for each request once its body is there. */
export async function openServer(
	answer: (request: IncomingMessage, response: ServerResponse, body: Buffer) => void,
): Promise<LocalServer> {
	const server = createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		request.on('end', () => answer(request, response, Buffer.concat(chunks)));
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		async close() {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
