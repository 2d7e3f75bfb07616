import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join, relative } from 'node:path';

import { MediaGenImage } from '../../../nodes/MediaGenImage/MediaGenImage.node';
import { ok, runNode } from '../support/engine';
import { generatePicture } from '../support/generatePicture';
import { useSandbox } from '../support/sandbox';

const checkout = join(__dirname, '..', '..', '..');

const service = useSandbox();

/** The files in `nodes` with a function that runs while `work` does. Imports, and what they compute, come before. */
async function filesThatRun(work: () => Promise<unknown>): Promise<string[]> {
	const session = new Session();
	session.connect();
	try {
		await session.post('Profiler.enable');
		await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
		await work();
		const { result } = await session.post('Profiler.takePreciseCoverage');
		// Another test file of this process may still work; what this one imports was loaded after it.
		const own = result.filter(({ url }) => url.endsWith(__filename));
		const loaded = Math.max(...own.map(({ scriptId }) => Number(scriptId)));
		return result
			.filter(({ scriptId }) => Number(scriptId) > loaded)
			.filter(({ functions }) =>
				functions.some(({ ranges }) => ranges.some(({ count }) => count > 0)),
			)
			.map(({ url }) => relative(checkout, url.replace(/^file:\/\//, '')))
			.filter((file) => file.startsWith('nodes/') && !file.includes('/vendor/'));
	} finally {
		session.disconnect();
	}
}

const linesOf = (file: string) => readFileSync(join(checkout, file), 'utf8').split('\n').length - 1;

test('a picture from a prompt runs through at most 31 files and 5,971 lines', async () => {
	const node = new MediaGenImage();
	const files = await filesThatRun(async () => {
		const { items } = await runNode({
			node,
			parameters: generatePicture,
			credential: service.credential(),
		}).then(ok);
		expect(items).toHaveLength(1);
	});
	const lines = files.reduce((sum, file) => sum + linesOf(file), 0);
	expect(files.length).toBeGreaterThan(25);
	expect(files.length).toBeLessThanOrEqual(31);
	expect(lines).toBeLessThanOrEqual(5_971);
});
