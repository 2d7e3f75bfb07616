import { createWriteStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { RestError, type RestClient } from './client';

/** A file that a node attached to an item, as the editor would download it. */
export interface BinaryFile {
	data: Buffer;
	contentType: string;
}

const request = (id: string) => ({ url: '/rest/binary-data', params: { id, action: 'download' } });

/**
 * Reads a file whole.
 *
 * @param id `binary.<name>.id` of an item; n8n only gives one when it keeps files outside its database
 */
export async function readBinary(api: RestClient, id: string): Promise<BinaryFile> {
	const response = await api.raw.request<ArrayBuffer>({ ...request(id), responseType: 'arraybuffer' });
	if (response.status !== 200) throw new RestError(response.status, `Reading file ${id}`, 'n8n does not have it');
	return { data: Buffer.from(response.data), contentType: String(response.headers['content-type'] ?? '') };
}

/** Saves a file of any size to `path`. */
export async function saveBinary(api: RestClient, id: string, path: string): Promise<void> {
	const response = await api.raw.request<Readable>({ ...request(id), responseType: 'stream' });
	if (response.status !== 200) throw new RestError(response.status, `Reading file ${id}`, 'n8n does not have it');
	await pipeline(response.data, createWriteStream(path));
}
