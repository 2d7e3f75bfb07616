import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod/v3';
import { npm } from '../install/npm';

const manifestSchema = z
	.object({
		name: z.string(),
		version: z.string(),
		author: z.object({ name: z.string().default(''), email: z.string().default('') }).default({}),
		dependencies: z.record(z.string()).default({}),
	})
	.passthrough();

type Manifest = z.infer<typeof manifestSchema>;

/** What n8n's database keeps about a community package, besides its nodes. */
export type LaidDownPackage = Pick<Manifest, 'name' | 'version' | 'author'>;

/**
 * Puts a packed package into a user folder, step by step as n8n's own installer of community nodes does
 * (`CommunityPackagesService.downloadPackage`), with the tarball in place of the registry.
 */
export async function layDown(tarball: string, userFolder: string): Promise<LaidDownPackage> {
	const nodesFolder = join(userFolder, '.n8n', 'nodes');
	const unpacking = join(nodesFolder, '.unpacking');
	await rm(unpacking, { recursive: true, force: true });
	await mkdir(unpacking, { recursive: true });
	await promisify(execFile)('tar', ['-xzf', tarball, '-C', unpacking, '--strip-components=1']);
	const { name } = manifestSchema.parse(
		JSON.parse(await readFile(join(unpacking, 'package.json'), 'utf8')),
	);

	const folder = join(nodesFolder, 'node_modules', name);
	await rm(folder, { recursive: true, force: true });
	await mkdir(folder, { recursive: true });
	await promisify(execFile)('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1']);
	await rm(unpacking, { recursive: true });

	const manifest = await stripDependencies(join(folder, 'package.json'));
	if (Object.keys(manifest.dependencies).length > 0) {
		await npm(
			[
				'install',
				'--audit=false',
				'--fund=false',
				'--bin-links=false',
				'--install-strategy=shallow',
				'--ignore-scripts=true',
				'--package-lock=false',
			],
			{ cwd: folder },
		);
	}
	await writeFile(
		join(nodesFolder, 'package.json'),
		JSON.stringify(
			{ name: 'installed-nodes', private: true, dependencies: { [name]: manifest.version } },
			null,
			2,
		),
	);
	return { name, version: manifest.version, author: manifest.author };
}

async function stripDependencies(path: string): Promise<Manifest> {
	const {
		devDependencies: _dev,
		peerDependencies: _peer,
		optionalDependencies: _optional,
		...manifest
	} = manifestSchema.parse(JSON.parse(await readFile(path, 'utf8')));
	await writeFile(path, JSON.stringify(manifest, null, 2));
	return manifest;
}
