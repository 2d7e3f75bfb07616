import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve, sep } from 'node:path';

const checkout = resolve(__dirname, '..', '..');

const packageJson = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as {
	homepage: string;
};

/** Where files of this repository are read on the web. */
const ONLINE = `${packageJson.homepage.replace(/#.*$/, '')}/blob/main/`;

/** Files below a folder whose path within the repository fits, sorted. */
function find(folder: string, fits: RegExp): string[] {
	return readdirSync(join(checkout, folder), { recursive: true, encoding: 'utf8' })
		.map((path) => join(folder, path).split(sep).join('/'))
		.filter((path) => fits.test(path) && !path.includes('node_modules/'))
		.sort();
}

const pages = [
	'README.md',
	'CONTRIBUTING.md',
	...find('docs', /\.md$/),
	...find('sandbox', /\.md$/),
];

test('the index names every page', () => {
	const index = readFileSync(join(checkout, 'docs/README.md'), 'utf8');
	const unnamed = find('docs', /^docs\/[^/]+\.md$/).filter(
		(page) => page !== 'docs/README.md' && !index.includes(`](${basename(page)})`),
	);
	expect(unnamed).toEqual([]);
});

test('every test that the docs name is there', () => {
	const named = pages.flatMap((page) =>
		[...readFileSync(join(checkout, page), 'utf8').matchAll(/`(test\/[\w/.-]+\.test\.ts)`/g)].map(
			([, path = '']) => ({ page, path }),
		),
	);
	expect(named.length).toBeGreaterThan(0);
	expect(named.filter(({ path }) => !existsSync(join(checkout, path)))).toEqual([]);
});

const sources = [
	...find('nodes', /\.(ts|node\.json)$/),
	...find('credentials', /\.ts$/),
	'package.json',
];

/** Addresses in the package that lead to files of this repository. */
const shown = sources.flatMap((source) =>
	[...readFileSync(join(checkout, source), 'utf8').matchAll(/https?:\/\/[^\s"'`)<>]+/g)]
		.map(([address]) => address)
		.filter((address) => address.startsWith(ONLINE))
		.map((address) => ({ source, address })),
);

test('every node and the credential name a page of their own', () => {
	const documented = new Set(
		shown.filter(({ address }) => !address.endsWith('/credential.md')).map(({ source }) => source),
	);
	expect(find('nodes', /\.node\.json$/).filter((codex) => !documented.has(codex))).toEqual([]);
	expect(shown).toContainEqual({
		source: 'credentials/MediaGenApi.credentials.ts',
		address: `${ONLINE}docs/credential.md`,
	});
});

test('every page that the package names is there', () => {
	expect(
		shown.filter(({ address }) => !existsSync(join(checkout, address.slice(ONLINE.length)))),
	).toEqual([]);
});
