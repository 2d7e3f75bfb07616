import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
	describeHost,
	ensureN8n,
	type Host,
	type HostVersion,
	packPackage,
	parseHostVersions,
	startHost,
	terminalProgress,
} from '../../../sandbox/host';
import { openServer } from '../../support/server';
import { chosenVersions } from './hosts';

/**
 * Keeps one n8n per version for all test files of a run, started when the first of them asks for it.
 *
 * `GET /tarball` gives the packed package's path, `GET /hosts/<version>` a host's description. It ends, with all that it
 * has started, when the test run that started it is gone.
 */
const progress = terminalProgress();

const hosts = new Map<HostVersion, Promise<Host>>();

let packed: Promise<string> | undefined;

const tarball = () => (packed ??= packPackage({ progress }));

async function hostOf(version: HostVersion): Promise<Host> {
	const known =
		hosts.get(version) ?? tarball().then((path) => startHost({ version, tarball: path, progress }));
	hosts.set(version, known);
	return known;
}

async function answer(path: string): Promise<unknown> {
	if (path === '/tarball') return { tarball: await tarball() };
	const [version] = parseHostVersions(path.replace('/hosts/', ''));
	if (!version) throw new Error(`There is nothing at ${path}.`);
	return describeHost(await hostOf(version));
}

async function end(): Promise<void> {
	await Promise.allSettled([...hosts.values()].map(async (host) => (await host).stop()));
	if (packed) await rm(dirname(await packed), { recursive: true, force: true });
	process.exit();
}

process.once('disconnect', () => void end());
process.once('SIGTERM', () => void end());
// Ctrl-C may reach this process as well; the test run decides when it is over.
process.on('SIGINT', () => {});

async function main(): Promise<void> {
	// Before the first test, so that no test's time has an install in it.
	for (const version of chosenVersions) await ensureN8n(version, progress);
	const { url } = await openServer((request, response) => {
		const send = (status: number, body: unknown) =>
			response.writeHead(status).end(JSON.stringify(body));
		answer(request.url ?? '').then(
			(body) => send(200, body),
			(error: unknown) =>
				send(500, { message: error instanceof Error ? error.message : String(error) }),
		);
	});
	process.send?.({ url });
}

main().catch((error: unknown) => {
	console.error(error instanceof Error ? error.message : error);
	process.exit(1);
});
