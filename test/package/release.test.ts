import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { givenPackage, packPackage } from '../../sandbox/host';

const root = resolve(__dirname, '../..');
const folder = join(root, '.github/workflows');
const workflows = readdirSync(folder).map((name): [string, string] => [
	name,
	readFileSync(join(folder, name), 'utf8'),
]);
const [, publishing = ''] = workflows.find(([name]) => name === 'publish.yml') ?? [];

test.each(workflows)('%s runs actions by their commit, and images by their digest', (_, text) => {
	const used = [...text.matchAll(/uses: (\S+)(.*)/g)].filter(
		([, action = '']) => !action.startsWith('./'),
	);
	for (const [line] of used)
		expect(line).toMatch(/^uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
	for (const [line] of text.matchAll(/(?:container|image): .*/g))
		expect(line).toMatch(/@sha256:[0-9a-f]{64}$/);
});

test('a release publishes what was tested: it builds nothing, and has no token of its own', () => {
	expect(publishing).not.toMatch(/npm (ci|install|run|pack)|secrets\./);
	expect(publishing).toMatch(
		/needs: gate[\s\S]+id-token: write[\s\S]+download-artifact[\s\S]+npm publish "\.\/\$package"/,
	);
});

test('the tests take the packages that they are given, byte by byte', async () => {
	const given = await mkdtemp(join(tmpdir(), 'mediagen-given-'));
	const packages = ['n8n-nodes-mediagen', 'mediagen-sandbox'].map((name) =>
		join(given, `${name}-9.9.9.tgz`),
	);
	await Promise.all(packages.map(async (path) => await writeFile(path, path)));
	process.env.MEDIAGEN_PACKAGES = given;
	try {
		const packed = await packPackage();
		expect(packed).not.toBe(packages[0]);
		expect(await readFile(packed, 'utf8')).toBe(packages[0]);
		expect(await givenPackage('mediagen-sandbox')).toBe(packages[1]);
		await expect(givenPackage('mediagen-nothing')).rejects.toThrow('mediagen-nothing');
	} finally {
		delete process.env.MEDIAGEN_PACKAGES;
		await rm(given, { recursive: true });
	}
});

test('a file keeps what the packages are made of current', () => {
	const text = readFileSync(join(root, '.github/dependabot.yml'), 'utf8');
	const ecosystems = [...text.matchAll(/package-ecosystem: (\S+)/g)].map(([, name]) => name);
	expect(ecosystems.sort()).toEqual(['github-actions', 'npm']);
	const directories = [...text.matchAll(/'(\/[^']*)'/g)].map(([, path = '']) => path);
	expect(directories).toContain('/sandbox/service');
	for (const path of directories) expect(existsSync(join(root, path))).toBe(true);
});

test('SECURITY.md says how to report', () => {
	expect(readFileSync(join(root, 'SECURITY.md'), 'utf8')).toContain('security/advisories/new');
});
