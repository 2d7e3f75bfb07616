import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import axios from 'axios';

export interface Gate {
	/** The same address, by way of the gate. */
	through: (url: string) => string;
	close(): Promise<void>;
}

/** A starting n8n answers like this to whatever it is sent, with 200. */
const STARTING = 'starting up';

/**
 * A reverse proxy before n8n, as `docs/callbacks.md` advises: an n8n that starts answers 404 by itself, which the service
 * never repeats, so the proxy says 503 in its place.
 */
export async function openGate(n8n: string): Promise<Gate> {
	async function forward(path: string, body: string): Promise<{ status: number; text: string }> {
		const response = await axios.post<string>(n8n + path, body, {
			headers: { 'content-type': 'application/json' },
			proxy: false,
			responseType: 'text',
			transformResponse: (text: string) => text,
			validateStatus: () => true,
		});
		const starting = response.status === 404 || response.data.includes(STARTING);
		return starting ? { status: 503, text: '{}' } : { status: response.status, text: response.data };
	}

	const server = createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		request.on('end', () => {
			forward(request.url ?? '/', Buffer.concat(chunks).toString())
				.catch(() => ({ status: 503, text: '{}' }))
				.then(({ status, text }) => response.writeHead(status, { 'content-type': 'application/json' }).end(text))
				.catch(() => response.destroy());
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	return {
		through: (url) => url.replace(n8n, `http://127.0.0.1:${port}`),
		async close() {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
