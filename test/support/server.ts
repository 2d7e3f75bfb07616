import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGzip } from 'node:zlib';

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

/** Answers with 400 MB of JSON, of which a few hundred kilobytes go over the line. */
export function inflate(response: ServerResponse): void {
	response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
	const zip = createGzip();
	zip.pipe(response);
	response.on('close', () => zip.destroy());
	let left = 400;
	const more = () => {
		while (left-- > 0) if (!zip.write(Buffer.alloc(1_000_000, ' '))) return;
		zip.end('{}');
	};
	zip.on('drain', more);
	more();
}

/** Begins an answer, and sends a byte of it now and then: n8n's own time limit, which counts idle time, never ends it. */
export function trickle(response: ServerResponse, contentType: string, everyMs = 50): void {
	response.writeHead(200, { 'content-type': contentType });
	const next = () => {
		if (response.destroyed) return;
		response.write(' ');
		setTimeout(next, everyMs);
	};
	next();
}
