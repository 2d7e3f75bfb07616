// Plain JavaScript, and nothing but Node.js itself: this runs before anything is installed.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import cache from './machine/cache.cjs';
import programs from './machine/programs.cjs';

const readPackages = (path) => JSON.parse(readFileSync(path, 'utf8')).packages;

/** Tells whether node_modules is what package-lock.json asks for; npm keeps a lockfile of its own in there. */
function isInstalled(root) {
	const installedPath = join(root, 'node_modules', '.package-lock.json');
	if (!existsSync(installedPath)) return false;
	const installed = readPackages(installedPath);
	return Object.entries(readPackages(join(root, 'package-lock.json'))).every(
		([path, wanted]) =>
			path === '' ||
			wanted.optional ||
			wanted.peer ||
			wanted.devOptional ||
			installed[path]?.version === wanted.version,
	);
}

/**
 * The programs that the install of this n8n needs; none where it is installed. Checked before `npm ci`, so that nobody waits for
 * minutes first.
 *
 * @param {string} version such as `2.41`
 */
export function programsToInstall(version) {
	const folder = cache.cacheFolder();
	const isInstall = (name) =>
		name.startsWith(`n8n-${version}-`) && existsSync(join(folder, name, cache.STAMP));
	return existsSync(folder) && readdirSync(folder).some(isInstall) ? [] : programs.COMPILER;
}

/**
 * Runs `npm ci` where node_modules is missing or does not match the lockfile.
 *
 * @param {string} root the checkout
 */
export async function ensureDependencies(root) {
	if (isInstalled(root)) return;
	const started = Date.now();
	const seconds = () => `${Math.round((Date.now() - started) / 1000)} s`;
	console.error(
		"Installing this repository's development dependencies (npm ci, usually half a minute to two minutes) …",
	);
	const ticker = setInterval(() => console.error(`  … ${seconds()}`), 15_000);
	const child = spawn('npm', ['ci', '--include=dev'], {
		cwd: root,
		detached: true,
		stdio: ['ignore', 'ignore', 'inherit'],
	});
	const code = await new Promise((resolve, reject) =>
		child.once('error', reject).once('close', resolve),
	);
	clearInterval(ticker);
	if (code !== 0) throw new Error(`"npm ci" ended with ${code}. What it says above is the reason.`);
	console.error(`  ✓ installed in ${seconds()}`);
}
