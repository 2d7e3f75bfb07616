import { type LocalServer, openServer } from '../../support/server';

/** An S3 storage with any bucket, for n8n's S3 node: it keeps what it is given, by path. */
export interface Bucket extends Pick<LocalServer, 'close'> {
	/** For n8n's S3 node. */
	credential: { name: string; type: 's3'; data: Record<string, unknown> };
	/** The files, by bucket and name: `/pictures/a.png`. */
	files: Map<string, { type: string | undefined; content: Buffer }>;
}

/** Before it stores a file, n8n's S3 node asks where the bucket is. */
const LOCATION =
	'<?xml version="1.0"?><LocationConstraint xmlns="http://s3.amazonaws.com/doc/2006-03-01/">us-east-1</LocationConstraint>';

export async function openBucket(): Promise<Bucket> {
	const files: Bucket['files'] = new Map();
	const { url, close } = await openServer((request, response, content) => {
		const { pathname } = new URL(request.url ?? '', 'http://s3');
		if (request.method === 'PUT')
			files.set(decodeURI(pathname), { type: request.headers['content-type'], content });
		response.end(request.method === 'GET' ? LOCATION : '');
	});
	return {
		credential: {
			name: 'S3 storage',
			type: 's3',
			data: {
				endpoint: url,
				region: 'us-east-1',
				accessKeyId: 'key',
				secretAccessKey: 'secret',
				forcePathStyle: true,
				ignoreSSLIssues: false,
			},
		},
		files,
		close,
	};
}
