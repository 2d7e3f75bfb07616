import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { Progress } from '../progress';

/** A program of Debian's that is started here, and the package that brings it. */
export interface DebianProgram {
	command: string;
	package: string;
}

/**
 * Finds programs; those that are missing are installed with apt-get where this runs as root.
 *
 * @returns their paths by command
 * @throws with the command that installs them, where that cannot be done here
 */
export async function ensurePrograms(programs: DebianProgram[], progress: Progress): Promise<Record<string, string>> {
	const missing = programs.filter(({ command }) => !find(command));
	const packages = [...new Set(missing.map((program) => program.package))];
	if (packages.length > 0) {
		if (process.getuid?.() !== 0) {
			throw new Error(`Queue mode needs ${packages.join(' and ')}. Install with: sudo apt-get install ${packages.join(' ')}`);
		}
		await progress.step(`Installing ${packages.join(' and ')} from Debian`, () => install(packages), 'half a minute, once');
	}
	return Object.fromEntries(
		programs.map(({ command, package: name }) => {
			const path = find(command);
			if (!path) throw new Error(`${name} is installed, but its "${command}" is not to be found.`);
			return [command, path];
		}),
	);
}

function find(command: string): string | undefined {
	const folders = [...(process.env.PATH ?? '').split(delimiter), ...postgresFolders()];
	return folders.map((folder) => join(folder, command)).find((path) => existsSync(path));
}

/** Debian keeps the commands of PostgreSQL's server out of PATH, in a folder for each major version. */
function postgresFolders(): string[] {
	const base = '/usr/lib/postgresql';
	if (!existsSync(base)) return [];
	const majors = readdirSync(base).sort((one, other) => Number(other) - Number(one));
	return majors.map((major) => join(base, major, 'bin'));
}

async function install(packages: string[]): Promise<void> {
	const options = { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }, maxBuffer: 64 * 1_024 * 1_024 };
	await promisify(execFile)('apt-get', ['update', '-qq'], options);
	await promisify(execFile)('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], options);
}
