import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An S3 storage with any bucket, for n8n's S3 node: it keeps what it is given, by path. */
export interface Bucket {
	/** For n8n's S3 node. */
	credential: { name: string; type: 's3'; data: Record<string, unknown> };
	/** The files, by bucket and name: `/pictures/a.png`. */
	files: Map<string, { type: string | undefined; content: Buffer }>;
	close(): Promise<void>;
}

/** Before it stores a file, n8n's S3 node asks where the bucket is. */
const LOCATION =
	'<?xml version="1.0"?><LocationConstraint xmlns="http://s3.amazonaws.com/doc/2006-03-01/">us-east-1</LocationConstraint>';

export async function openBucket(): Promise<Bucket> {
	const files: Bucket['files'] = new Map();
	const server = createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		request.on('end', () => {
			const { pathname } = new URL(request.url ?? '', 'http://s3');
			if (request.method === 'PUT') {
				const type = request.headers['content-type'];
				files.set(decodeURI(pathname), { type, content: Buffer.concat(chunks) });
			}
			response.end(request.method === 'GET' ? LOCATION : '');
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	return {
		credential: {
			name: 'S3 storage',
			type: 's3',
			data: {
				endpoint: `http://127.0.0.1:${port}`,
				region: 'us-east-1',
				accessKeyId: 'key',
				secretAccessKey: 'secret',
				forcePathStyle: true,
				ignoreSSLIssues: false,
			},
		},
		files,
		async close() {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
