import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { givenPackage } from '../../sandbox/host';
import { startCommand, type StartedCommand } from './command';

const run = promisify(execFile);
const root = resolve(__dirname, '../..');

/** The package `mediagen-sandbox` as it would be published, and an empty folder to run it in. */
export interface PackedSandbox {
	/** Paths in the tarball. */
	files: string[];
	/** Runs it with npx. Its npm cache is empty at first and kept from one call to the next. */
	npx(...args: string[]): StartedCommand;
	remove(): Promise<void>;
}

/** Builds and packs the sandbox, or takes the given package. */
export async function packSandbox(): Promise<PackedSandbox> {
	const given = await givenPackage('mediagen-sandbox');
	if (given === undefined) await run('npm', ['run', 'build:sandbox'], { cwd: root });
	const folder = await mkdtemp(join(tmpdir(), 'mediagen-sandbox-'));
	const { stdout } = await run(
		'npm',
		['pack', '--json', '--pack-destination', folder, ...(given ? [given] : [])],
		{ cwd: join(root, 'sandbox/service') },
	);
	const [packed] = JSON.parse(stdout) as [{ filename: string; files: Array<{ path: string }> }];
	const [empty, cache, bin] = ['empty', 'cache', 'bin'].map((name) => join(folder, name)) as [
		string,
		string,
		string,
	];
	await mkdir(empty);
	await linkPrograms(bin);

	const outer = Object.entries(process.env).filter(
		([name]) =>
			!/^npm_/i.test(name) ||
			/^npm_config_(registry|userconfig|globalconfig|cafile|.*proxy)$/i.test(name),
	);
	const env = { ...Object.fromEntries(outer), PATH: bin, npm_config_cache: cache };
	return {
		files: packed.files.map(({ path }) => path),
		npx: (...args) =>
			startCommand(
				'npx',
				['--yes', '--package', join(folder, packed.filename), '--', 'mediagen-sandbox', ...args],
				{
					cwd: empty,
					env,
					// Ctrl-C in a terminal reaches all processes of the command, hence a group of its own.
					detached: true,
				},
			),
		remove: () => rm(folder, { recursive: true, force: true }),
	};
}

/** A folder for PATH with Node.js, npm's npx and a shell in it: no compiler, no other program. */
async function linkPrograms(folder: string): Promise<void> {
	await mkdir(folder);
	for (const name of ['node', 'npx', 'sh']) {
		const path = (process.env.PATH ?? '')
			.split(delimiter)
			.map((each) => join(each, name))
			.find((each) => existsSync(each));
		if (path === undefined) throw new Error(`There is no ${name} on the PATH.`);
		await symlink(await realpath(path), join(folder, name));
	}
}
