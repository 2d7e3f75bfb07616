import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Gives a suite a folder for temporary files, which is removed after it. */
export function useFolder(): () => string {
	let folder = '';
	beforeAll(async () => {
		folder = await mkdtemp(join(tmpdir(), 'mediagen-test-'));
	});
	afterAll(async () => await rm(folder, { recursive: true, force: true }));
	return () => folder;
}
