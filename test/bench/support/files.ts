import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const PNG_HEAD = Buffer.from('89504e470d0a1a0a', 'hex');

/** Writes a file of that many bytes that begins as a PNG does, and gives its path. */
export async function writePicture(folder: string, bytes: number): Promise<string> {
	const path = join(folder, `picture-${bytes}.png`);
	await writeFile(path, Buffer.concat([PNG_HEAD, Buffer.alloc(bytes - PNG_HEAD.length)]));
	return path;
}
