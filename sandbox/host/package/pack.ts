import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod/v3';
import { npm } from '../install/npm';
import { silentProgress, type Progress } from '../progress';

const checkout = join(__dirname, '..', '..', '..');

/**
 * Builds the package and packs it as it would be published.
 *
 * @param built skips the build, for a caller that has just made one
 * @returns the path of the tarball, in a temporary folder
 */
export async function packPackage({ progress = silentProgress, built = false }: { progress?: Progress; built?: boolean } = {}): Promise<string> {
	if (!built) await progress.step('Building the package', () => npm(['run', 'build'], { cwd: checkout }), '10 s');
	return progress.step('Packing the package', async () => {
		const folder = await mkdtemp(join(tmpdir(), 'mediagen-pack-'));
		const output = await npm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder], { cwd: checkout });
		const [packed] = z.array(z.object({ filename: z.string() })).min(1).parse(JSON.parse(output));
		return join(folder, packed?.filename ?? '');
	});
}
