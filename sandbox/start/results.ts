import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Execution, Host } from '../host';

/** A file that the pipeline made, on this machine's disk. */
export interface SavedFile {
	path: string;
	bytes: number;
}

/** Saves the files of one node's items into `folder`, under the names that the node gave them. */
export async function saveFiles(
	host: Host,
	execution: Execution,
	node: string,
	folder: string,
): Promise<SavedFile[]> {
	await mkdir(folder, { recursive: true });
	const saved: SavedFile[] = [];
	for (const [index, file] of execution.files(node).entries()) {
		const path = join(folder, file.fileName ?? `${index + 1}.${file.fileExtension ?? 'bin'}`);
		await host.saveBinary(file, path);
		saved.push({ path, bytes: (await stat(path)).size });
	}
	return saved;
}
