import { type LocalServer, openServer } from '../../support/server';
import { httpRequest, type NodeJson } from './nodes';

/** A file as the next node could use it. */
export interface ReceivedFile {
	taskId: string;
	type: string | undefined;
	content: Buffer;
}

/** A server of the user's to which a workflow sends its results: what arrives there has come out, whatever n8n keeps of it. */
export interface FileReceiver extends Pick<LocalServer, 'close'> {
	/** The node "Send", which sends each item's file, and puts out the task's id. */
	node: NodeJson;
	files: ReceivedFile[];
}

export async function openFileReceiver(): Promise<FileReceiver> {
	const files: ReceivedFile[] = [];
	const { url, close } = await openServer((request, response, content) => {
		const taskId = (request.url ?? '').slice(1);
		files.push({ taskId, type: request.headers['content-type'], content });
		response.setHeader('content-type', 'application/json').end(JSON.stringify({ taskId }));
	});
	const node = httpRequest('Send', {
		method: 'POST',
		url: `=${url}/{{ $json.taskId }}`,
		sendBody: true,
		contentType: 'binaryData',
		inputDataFieldName: 'data',
	});
	return { node, files, close };
}
