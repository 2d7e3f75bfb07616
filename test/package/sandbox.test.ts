import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ask, type Json } from '../service/support/sandbox';
import type { StartedCommand } from '../support/command';
import { packSandbox, type PackedSandbox } from '../support/sandboxCommand';

const root = resolve(__dirname, '../..');

interface Manifest {
	version: string;
	dependencies?: Record<string, string>;
	devDependencies?: Record<string, string>;
}

const manifestIn = (folder: string) =>
	JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest;

let packed: PackedSandbox;
const started: StartedCommand[] = [];

beforeAll(async () => {
	packed = await packSandbox();
}, 180_000);

afterAll(async () => {
	for (const { child } of started)
		if (child.pid && child.exitCode === null && child.signalCode === null)
			process.kill(-child.pid, 'SIGKILL');
	await packed.remove();
});

/** Starts it on a free port; gives the address and the key as printed, and the time until then in ms. */
async function start(...args: string[]) {
	const began = performance.now();
	const command = packed.npx('--port', '0', ...args);
	started.push(command);
	const [, url = ''] = await command.says(/Base URL +(http:\S+)/);
	const [, key = ''] = await command.says(/API Key +(\S+)/);
	return {
		...command,
		url,
		headers: { authorization: `Bearer ${key}` },
		took: performance.now() - began,
	};
}

test('the tarball holds the command, what it loads later, and the texts that belong to it', () => {
	expect(packed.files.sort()).toEqual([
		'LICENSE',
		'README.md',
		'dist/LICENSES.txt',
		'dist/cli.js',
		'dist/inter-latin-700-normal.woff',
		'dist/o200k_base.js',
		'package.json',
	]);
});

test('it has the version of the nodes', () => {
	expect(manifestIn('sandbox/service').version).toBe(manifestIn('.').version);
});

test('it depends on sharp alone, which is native, in the version that is tested here', () => {
	const { dependencies } = manifestIn('sandbox/service');
	expect(dependencies).toEqual({ sharp: manifestIn('.').devDependencies?.sharp });
});

test('npx has it up within three minutes with an empty cache, within 20 s with a filled one, and Ctrl-C ends it', async () => {
	for (const limit of [180_000, 20_000]) {
		const { url, headers, took, child, ended } = await start();
		expect((await ask(`${url}/v1/balance`, { headers })).body).toMatchObject({
			success: true,
			remain_credits: 1_000_000,
		});
		console.log(`up after ${(took / 1_000).toFixed(1)} s`);
		expect(took).toBeLessThan(limit);
		process.kill(-(child.pid ?? 0), 'SIGINT');
		await ended;
		await untilClosed(url);
	}
}, 300_000);

test('SIGTERM to npx alone ends it too', async () => {
	const { url, child, ended } = await start();
	child.kill('SIGTERM');
	await ended;
	await untilClosed(url);
}, 90_000);

test('it makes pictures, songs and videos, and counts the tokens of a chat, from the tarball alone', async () => {
	const { url, headers, child, ended } = await start('--speed', '100', '--key', 'my-key');
	expect(headers.authorization).toBe('Bearer my-key');
	const post = async (path: string, body: object) =>
		(
			await ask(url + path, {
				method: 'POST',
				headers: { ...headers, 'content-type': 'application/json' },
				body: JSON.stringify(body),
			})
		).body;
	const links = async (path: string, body: object, query: string) => {
		const submitted = await post(path, body);
		const id = String(((submitted.data as Json)[0] as Json).task_id);
		for (;;) {
			const record = JSON.stringify((await ask(url + query + id, { headers })).body);
			const found = record.match(/http:[^"]+\/files\/[^"]+/);
			if (found) return found[0];
			await new Promise((resolve) => setTimeout(resolve, 50));
		}
	};
	const typeOf = async (link: string) => (await fetch(link)).headers.get('content-type');

	const prompt = 'A lighthouse in the fog';
	const picture = await links(
		'/v1/images/generations',
		{ model: 'imagegen-2-official', prompt },
		'/v1/tasks/',
	);
	expect(await typeOf(picture)).toBe('image/png');
	const song = await links('/v1/music/generations/create', { prompt }, '/v1/music/tasks/');
	expect(await typeOf(song)).toBe('audio/wav');
	const video = await links(
		'/v1/videos/generations',
		{ model: 'vidgen3.1-fast', prompt },
		'/v1/tasks/',
	);
	expect(await typeOf(video)).toBe('video/mp4');
	const chat = await post('/v1/chat/completions', {
		model: 'any',
		messages: [{ role: 'user', content: prompt }],
	});
	expect((chat.usage as Json).prompt_tokens).toBeGreaterThan(3);
	process.kill(-(child.pid ?? 0), 'SIGINT');
	await ended;
}, 180_000);

/** @throws by the test's time limit */
async function untilClosed(url: string): Promise<void> {
	while (
		await fetch(url).then(
			() => true,
			() => false,
		)
	)
		await new Promise((resolve) => setTimeout(resolve, 50));
}
