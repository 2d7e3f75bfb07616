import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

import { givenPackage } from '../../sandbox/host';

const run = promisify(execFile);
const root = resolve(__dirname, '../..');

interface Packed {
	filename: string;
	size: number;
	files: Array<{ path: string }>;
}

interface Manifest {
	dependencies?: object;
	overrides?: object;
	peerDependencies: object;
	version: string;
	n8n: { nodes: string[]; credentials: string[] };
}

async function scan(directory: string, leg: 'sources' | 'tarball') {
	// The rules take every file for a node when they are told that it is a test that runs them.
	const env = { ...process.env, NODE_ENV: 'production' };
	await run('node', [join(__dirname, 'scan.mjs'), directory, leg], { cwd: root, env });
}

let folder = '';
let packed: Packed;
let manifest: Manifest;

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'mediagen-pack-'));
	const given = await givenPackage('n8n-nodes-mediagen');
	if (given === undefined) await run('npx', ['gulp', 'build'], { cwd: root });
	const { stdout } = await run(
		'npm',
		['pack', '--json', '--pack-destination', folder, ...(given ? [given] : [])],
		{ cwd: root },
	);
	[packed] = JSON.parse(stdout) as [Packed];
	await run('tar', ['-xzf', join(folder, packed.filename), '-C', folder]);
	manifest = JSON.parse(
		await readFile(join(folder, 'package', 'package.json'), 'utf8'),
	) as Manifest;
}, 120_000);

afterAll(async () => await rm(folder, { recursive: true, force: true }));

test("n8n's scan passes on the sources", async () => {
	await scan(root, 'sources');
}, 120_000);

test("n8n's scan passes on the packed tarball, bundles included", async () => {
	await scan(join(folder, 'package'), 'tarball');
}, 120_000);

test('the tarball holds the build, the texts that belong to it, and nothing else', () => {
	const other = packed.files
		.map(({ path }) => path)
		.filter(
			(path) =>
				!/^dist\/(index\.(js|d\.ts)|(nodes|credentials)\/.+\.(js|d\.ts|svg|json))$/.test(path),
		)
		.sort();
	expect(other).toEqual([
		'CHANGELOG.md',
		'LICENSE',
		'README.md',
		'dist/LICENSES.txt',
		'package.json',
	]);
});

test('the license text of each library in the bundle comes along', async () => {
	const texts = await readFile(join(folder, 'package/dist/LICENSES.txt'), 'utf8');
	const named = [...texts.matchAll(/^## (.+)$/gm)].map(([, name]) => name);
	expect(named).toEqual(['ipaddr.js (MIT)', 'p-limit (MIT)', 'yocto-queue (MIT)', 'zod (MIT)']);
	expect(texts.match(/Permission is hereby granted, free of charge/g)).toHaveLength(named.length);
	expect(texts.match(/^Copyright /gm)).toHaveLength(named.length);
});

test('the tarball is under 200 kB', async () => {
	expect((await stat(join(folder, packed.filename))).size).toBeLessThan(200_000);
});

test('it needs nothing at run time but n8n itself', async () => {
	expect(manifest).not.toHaveProperty('dependencies');
	expect(manifest).not.toHaveProperty('overrides');
	expect(manifest.peerDependencies).toEqual({ 'n8n-workflow': '*' });
	const required = new Set<string>();
	for (const { path } of packed.files.filter(({ path }) => path.endsWith('.js'))) {
		const source = await readFile(join(folder, 'package', path), 'utf8');
		for (const [, name] of source.matchAll(/\brequire\("([^"]+)"\)/g)) {
			if (name && !name.startsWith('.')) required.add(name);
		}
	}
	// n8n's SDK for AI nodes is asked for when an agent needs its model: an older n8n does not have it.
	expect([...required].sort()).toEqual(['@n8n/ai-node-sdk', 'crypto', 'n8n-workflow']);
	expect(manifest.n8n).not.toHaveProperty('aiNodeSdkVersion');
	const bundle = await readFile(join(folder, 'package/dist/index.js'), 'utf8');
	expect(bundle).toMatch(/then\(\(\) => \w+\(require\("@n8n\/ai-node-sdk"\)\)\)/);
	expect(bundle).not.toContain('import("@n8n/ai-node-sdk")');
});

test('every node and credential of the manifest is there, with its icons and its codex', () => {
	const paths = new Set(packed.files.map(({ path }) => path));
	for (const file of [...manifest.n8n.nodes, ...manifest.n8n.credentials])
		expect(paths).toContain(file);
	for (const file of manifest.n8n.nodes) {
		expect(paths).toContain(file.replace(/\.js$/, '.json'));
		const [, name = ''] = /([^/]+)\.node\.js$/.exec(file) ?? [];
		const icon = file.replace(/[^/]+$/, name.charAt(0).toLowerCase() + name.slice(1));
		expect(paths).toContain(`${icon}.svg`);
		expect(paths).toContain(`${icon}.dark.svg`);
	}
});
