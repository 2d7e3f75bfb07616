import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { NodeJson } from './nodes';

/** A file as the next node could use it. */
export interface ReceivedFile {
	taskId: string;
	type: string | undefined;
	content: Buffer;
}

/** A server of the user's to which a workflow sends its results: what arrives there has come out, whatever n8n keeps of it. */
export interface FileReceiver {
	/** The node "Send", which sends each item's file, and puts out the task's id. */
	node: NodeJson;
	files: ReceivedFile[];
	close(): Promise<void>;
}

export async function openFileReceiver(): Promise<FileReceiver> {
	const files: ReceivedFile[] = [];
	const server = createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		request.on('end', () => {
			const taskId = (request.url ?? '').slice(1);
			files.push({ taskId, type: request.headers['content-type'], content: Buffer.concat(chunks) });
			response.setHeader('content-type', 'application/json').end(JSON.stringify({ taskId }));
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	const parameters = {
		method: 'POST',
		url: `=http://127.0.0.1:${port}/{{ $json.taskId }}`,
		sendBody: true,
		contentType: 'binaryData',
		inputDataFieldName: 'data',
		options: {},
	};
	return {
		node: { name: 'Send', type: 'n8n-nodes-base.httpRequest', typeVersion: 4.2, parameters },
		files,
		async close() {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
