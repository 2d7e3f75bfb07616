import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';

import type { IBinaryData, IHttpRequestOptions, INode } from 'n8n-workflow';

import { readConnection } from '../../../../nodes/shared/api/connection';
import { downloadFile, type DownloadContext } from '../../../../nodes/shared/output/download';
import type { ResultFile } from '../../../../nodes/shared/output/resultFiles';

const file: ResultFile = { index: 1, kind: 'audio', url: 'https://files.example.com/1', name: null, expiresAt: null };

const connection = readConnection({ baseUrl: 'https://api.example.com', apiKey: 'k' });

const node: INode = { id: '1', name: 'Music', type: 'mediaGenMusic', typeVersion: 1, position: [0, 0], parameters: {} };

const logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** An n8n whose HTTP client gives `body`, and whose binary storage is `store`. */
function contextOf(body: Readable, store: (content: Readable) => Promise<IBinaryData>, seen: IHttpRequestOptions[] = []): DownloadContext {
	return {
		getNode: () => node,
		logger,
		helpers: {
			httpRequest: async (options) => {
				seen.push(options);
				return await Promise.resolve({ statusCode: 200, headers: { 'content-type': 'audio/mpeg; charset=x' }, body });
			},
			prepareBinaryData: async (content) => await store(content as Readable),
		},
	};
}

const rules = { maxDownloadSize: 256, deadline: Infinity };

test('the bytes are counted on their way, and the storage gets the very stream that came, not a copy', async () => {
	const chunks = [Buffer.alloc(70_000, 1), Buffer.alloc(5, 2)];
	const body = Readable.from(chunks);
	const received: Buffer[] = [];
	const store = async (content: Readable) => {
		expect(content).toBe(body);
		for await (const chunk of content) received.push(chunk as Buffer);
		return { data: '', mimeType: 'audio/mpeg' };
	};
	const { fileSize, fileName, mimeType } = await downloadFile(contextOf(body, store), connection, file, 'song', rules);
	expect([fileSize, fileName, mimeType]).toEqual([70_005, 'song.mp3', 'audio/mpeg']);
	expect(received.map((chunk, at) => chunk === chunks[at])).toEqual([true, true]);
});

test('nothing is lost of a stream whose reader comes late', async () => {
	const body = Readable.from([Buffer.from('first '), Buffer.from('second')]);
	const store = async (content: Readable) => {
		await new Promise((resolve) => setTimeout(resolve, 20));
		return { data: (await buffer(content)).toString(), mimeType: '' };
	};
	const { binary, fileSize } = await downloadFile(contextOf(body, store), connection, file, 'song', rules);
	expect([binary.data, fileSize]).toEqual(['first second', 12]);
});

test('the request for a file carries no credential', async () => {
	const seen: IHttpRequestOptions[] = [];
	const store = async (content: Readable) => ({ data: (await buffer(content)).toString(), mimeType: '' });
	await downloadFile(contextOf(Readable.from(['x']), store, seen), connection, file, 'song', rules);
	expect(seen.map(({ url, headers, auth, disableFollowRedirect }) => [url, headers, auth, disableFollowRedirect])).toEqual([
		['https://files.example.com/1', undefined, undefined, true],
	]);
});

describe('A file above the limit is refused, however the storage takes the end of its stream', () => {
	const large = () => Readable.from([Buffer.alloc(600_000), Buffer.alloc(600_000)]);
	const closed = async (content: Readable) => await new Promise((resolve) => content.on('close', resolve).resume());

	test.each<[string, (content: Readable) => Promise<IBinaryData>]>([
		[
			'it keeps what came',
			async (content) => {
				await closed(content);
				return { data: '', mimeType: '' };
			},
		],
		[
			'it has an error of its own',
			async (content) => {
				await closed(content);
				throw new Error('Premature close');
			},
		],
	])('%s', async (_, store) => {
		const download = downloadFile(contextOf(large(), store), connection, file, 'song', { ...rules, maxDownloadSize: 1 });
		await expect(download).rejects.toThrow('larger than the 1 MB that "Max Download Size" allows');
	});
});

test('a stream that breaks off while it is stored is an error that names the link', async () => {
	const broken = () => new Readable({ read() { this.destroy(Object.assign(new Error('aborted'), { code: 'ECONNRESET' })); } });
	const store = async (content: Readable) => ({ data: (await buffer(content)).toString(), mimeType: '' });
	const download = downloadFile(contextOf(broken(), store), connection, file, 'song', { ...rules, deadline: 0 });
	await expect(download).rejects.toMatchObject({ description: expect.stringContaining(file.url) });
});
