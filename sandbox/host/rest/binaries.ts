import { createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type RestClient, RestError } from './client';
import type { ItemFile } from './executions';

/** A file that a node attached to an item, as the editor would download it. */
export interface BinaryFile {
	data: Buffer;
	contentType: string;
}

const request = (id: string) => ({ url: '/rest/binary-data', params: { id, action: 'download' } });

const refusal = (status: number, id: string) =>
	new RestError(status, `Reading file ${id}`, 'n8n does not have it');

/** Reads a file whole, `file` being `item.binary.<name>`. */
export async function readBinary(
	api: RestClient,
	{ id, data, mimeType }: ItemFile,
): Promise<BinaryFile> {
	if (id === undefined) return { data: Buffer.from(data, 'base64'), contentType: mimeType };
	const response = await api.raw.request<ArrayBuffer>({
		...request(id),
		responseType: 'arraybuffer',
	});
	if (response.status !== 200) throw refusal(response.status, id);
	return {
		data: Buffer.from(response.data),
		contentType: String(response.headers['content-type'] ?? ''),
	};
}

/** Saves a file of any size to `path`. */
export async function saveBinary(
	api: RestClient,
	{ id, data }: ItemFile,
	path: string,
): Promise<void> {
	if (id === undefined) return writeFile(path, Buffer.from(data, 'base64'));
	const response = await api.raw.request<Readable>({ ...request(id), responseType: 'stream' });
	if (response.status !== 200) throw refusal(response.status, id);
	await pipeline(response.data, createWriteStream(path));
}
