import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { lock } from 'proper-lockfile';
import { z } from 'zod/v3';
import { cacheFolder, STAMP } from '../machine/cache.cjs';
import type { Note, Progress } from '../progress';
import { npm } from './npm';

/** Something that is installed from a committed lockfile into the cache. */
export interface LockedInstall {
	/** Names the folder in the cache and the progress line. */
	title: string;
	name: string;
	/** Folder with package.json, package-lock.json and .npmrc. */
	from: string;
	/** What else the result depends on, beside the lockfile: the Node.js it is built for, the platform. */
	madeFor: string[];
	usually: string;
	/** The part that comes after `npm ci`, for example building a native package. */
	finish?: (folder: string, note: Note) => Promise<void>;
}

const lockfileSchema = z.object({ packages: z.record(z.unknown()) });

/**
 * Installs into the cache, unless it is there already.
 *
 * The work is done in a folder of its own that is renamed at the end, under a lock: whatever is under the final name
 * is complete, however the process that made it ended, and two processes never install at once.
 *
 * @returns the folder that holds `node_modules`
 */
export async function installFromLock(install: LockedInstall, progress: Progress): Promise<string> {
	const target = join(cacheFolder(), `${install.name}-${await keyOf(install)}`);
	if (existsSync(join(target, STAMP))) return target;

	await mkdir(cacheFolder(), { recursive: true });
	return progress.step(
		`Installing ${install.title} into ${cacheFolder()}`,
		async (note) => {
			note('waiting for another process that installs it');
			const release = await lock(join(cacheFolder(), install.name), {
				realpath: false,
				stale: 60_000,
				retries: { retries: 3_600, minTimeout: 500, maxTimeout: 1_000 },
			});
			try {
				if (!existsSync(join(target, STAMP))) await installInto(target, install, note);
				return target;
			} finally {
				await release();
			}
		},
		install.usually,
	);
}

async function keyOf({ from, madeFor }: LockedInstall): Promise<string> {
	const hash = createHash('sha256');
	for (const file of ['package.json', 'package-lock.json'])
		hash.update(await readFile(join(from, file)));
	return hash.update(madeFor.join(' ')).digest('hex').slice(0, 12);
}

async function installInto(target: string, install: LockedInstall, note: Note): Promise<void> {
	const unfinished = `.unfinished-${install.name}-`;
	const leftovers = (await readdir(cacheFolder())).filter(
		(name) => name.startsWith(unfinished) || name === basename(target),
	);
	for (const name of leftovers) {
		note('clearing an unfinished install');
		await rm(join(cacheFolder(), name), { recursive: true, force: true });
	}

	const folder = await mkdtemp(join(cacheFolder(), unfinished));
	for (const file of ['package.json', 'package-lock.json', '.npmrc'])
		await cp(join(install.from, file), join(folder, file));

	note('asking the registry');
	const { packages } = lockfileSchema.parse(
		JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8')),
	);
	const total = Object.keys(packages).length - 1;
	let fetched = 0;
	await npm(['ci', '--ignore-scripts', '--loglevel=http'], {
		cwd: folder,
		onLine(line) {
			if (/^npm http fetch GET 200 .*\.tgz /.test(line))
				note(`${(fetched += 1)} of ${total} packages`);
		},
	});
	await install.finish?.(folder, note);
	await writeFile(
		join(folder, STAMP),
		JSON.stringify({ installed: new Date().toISOString(), madeFor: install.madeFor }),
	);
	await rename(folder, target);
}
