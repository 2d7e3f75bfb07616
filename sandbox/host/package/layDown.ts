import { execFile } from 'node:child_process';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod/v3';

const manifestSchema = z.object({
	name: z.string(),
	version: z.string(),
	author: z.object({ name: z.string().default(''), email: z.string().default('') }).default({}),
});

/** What n8n's database keeps of a community package, beside its nodes. */
export type LaidDownPackage = z.infer<typeof manifestSchema>;

/**
 * Puts a packed package into a user folder as n8n's own installer of community nodes does
 * (`CommunityPackagesService.downloadPackage`), with the tarball in place of the registry. The package has no dependencies that
 * would have to be installed with it.
 */
export async function layDown(tarball: string, userFolder: string): Promise<LaidDownPackage> {
	const nodesFolder = join(userFolder, '.n8n', 'nodes');
	const unpacking = join(nodesFolder, '.unpacking');
	await rm(unpacking, { recursive: true, force: true });
	await mkdir(unpacking, { recursive: true });
	await promisify(execFile)('tar', ['-xzf', tarball, '-C', unpacking, '--strip-components=1']);
	const manifest = manifestSchema.parse(
		JSON.parse(await readFile(join(unpacking, 'package.json'), 'utf8')),
	);

	const folder = join(nodesFolder, 'node_modules', manifest.name);
	await rm(folder, { recursive: true, force: true });
	await mkdir(dirname(folder), { recursive: true });
	await rename(unpacking, folder);
	const installed = { [manifest.name]: manifest.version };
	await writeFile(
		join(nodesFolder, 'package.json'),
		JSON.stringify({ name: 'installed-nodes', private: true, dependencies: installed }, null, 2),
	);
	return manifest;
}
