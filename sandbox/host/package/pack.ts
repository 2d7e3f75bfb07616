import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { z } from 'zod/v3';
import { npm } from '../install/npm';
import { silentProgress, type Progress } from '../progress';

const checkout = join(__dirname, '..', '..', '..');

/** All that the packed package depends on. */
const SOURCES = [
	'nodes',
	'credentials',
	'index.ts',
	'gulpfile.js',
	'package.json',
	'package-lock.json',
	'tsconfig.json',
	'tsconfig.build.json',
	'README.md',
	'CHANGELOG.md',
	'LICENSE',
];

interface PackOptions {
	progress?: Progress;
	/** The script of package.json that builds it; `build` by default. */
	script?: string;
}

/** The tarball of a package in the folder that `MEDIAGEN_PACKAGES` names: a release publishes what was tested. */
export async function givenPackage(name: string): Promise<string | undefined> {
	const folder = process.env.MEDIAGEN_PACKAGES;
	if (folder === undefined) return undefined;
	const found = (await readdir(folder)).find(
		(file) => file.startsWith(`${name}-`) && file.endsWith('.tgz'),
	);
	if (found === undefined) throw new Error(`There is no tarball of ${name} in ${folder}.`);
	return resolve(folder, found);
}

/**
 * Builds the package and packs it as it would be published, or takes the given one.
 *
 * @returns the path of the tarball, in a temporary folder
 */
export async function packPackage({
	progress = silentProgress,
	script = 'build',
}: PackOptions = {}): Promise<string> {
	const given = await givenPackage('n8n-nodes-mediagen');
	if (given === undefined)
		await progress.step(
			'Building the package',
			() => npm(['run', script], { cwd: checkout }),
			'10 s',
		);
	return progress.step('Packing the package', async () => {
		const folder = await mkdtemp(join(tmpdir(), 'mediagen-pack-'));
		if (given !== undefined) {
			await cp(given, join(folder, basename(given)));
			return join(folder, basename(given));
		}
		const output = await npm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
			cwd: checkout,
		});
		const [{ filename }] = z.tuple([z.object({ filename: z.string() })]).parse(JSON.parse(output));
		return join(folder, filename);
	});
}

/**
 * As {@link packPackage}, but uses the last tarball while no source has changed.
 *
 * @param folder keeps the tarball
 */
export async function packWhereChanged(folder: string, progress: Progress): Promise<string> {
	const target = join(folder, `${await hashOfSources()}.tgz`);
	if (existsSync(target)) return target;
	const tarball = await packPackage({ progress });
	await rm(folder, { recursive: true, force: true });
	await mkdir(folder, { recursive: true });
	// Whatever is under the final name is complete.
	await cp(tarball, `${target}.unfinished`);
	await rename(`${target}.unfinished`, target);
	await rm(dirname(tarball), { recursive: true, force: true });
	return target;
}

async function hashOfSources(): Promise<string> {
	const hash = createHash('sha256');
	for (const source of SOURCES) {
		for (const path of await filesIn(join(checkout, source))) {
			hash.update(relative(checkout, path)).update(await readFile(path));
		}
	}
	return hash.digest('hex').slice(0, 16);
}

async function filesIn(path: string): Promise<string[]> {
	if ((await stat(path)).isFile()) return [path];
	const entries = await readdir(path, { recursive: true, withFileTypes: true });
	return entries
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name))
		.sort();
}
