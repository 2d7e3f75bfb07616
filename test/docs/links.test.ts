import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';

import { anchorsOf, linksOf } from './markdown';

const checkout = resolve(__dirname, '..', '..');

const packageJson = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as { homepage: string };

/** Where files of this repository are read on the web. */
const ONLINE = `${packageJson.homepage.replace(/#.*$/, '')}/blob/main/`;

/** What is wrong with a link to a file of this repository; `undefined` if nothing is. */
function flawOf(path: string, anchor: string | undefined): string | undefined {
	const inside = relative(checkout, path);
	if (inside.startsWith('..')) return 'leads out of the repository';
	if (!existsSync(path)) return 'no such file';
	if (!anchor || statSync(path).isDirectory() || !path.endsWith('.md')) return undefined;
	return anchorsOf(path).has(anchor) ? undefined : `no heading "${anchor}"`;
}

/** The file and the anchor that a target names; `undefined` for the web and for mail. */
function locate(target: string, folder: string): { path: string; anchor: string | undefined } | undefined {
	const [place = '', anchor] = target.split('#', 2);
	const within = anchor === undefined ? undefined : decodeURIComponent(anchor);
	if (place.startsWith(ONLINE)) return { path: join(checkout, decodeURIComponent(place.slice(ONLINE.length))), anchor: within };
	if (/^[a-z][a-z0-9+.-]*:/i.test(place) || place.startsWith('//')) return undefined;
	return { path: join(folder, decodeURIComponent(place)), anchor: within };
}

function brokenLinks(page: string): string[] {
	const file = join(checkout, page);
	return linksOf(file).flatMap(({ line, target }) => {
		const found = locate(target, target.startsWith('#') ? file : dirname(file));
		const flaw = found && flawOf(found.path, found.anchor);
		return flaw === undefined ? [] : [`${page}:${line}: ${target}: ${flaw}`];
	});
}

/** Files below a folder whose path within the repository fits, sorted. */
function find(folder: string, fits: RegExp): string[] {
	return readdirSync(join(checkout, folder), { recursive: true, encoding: 'utf8' })
		.map((path) => join(folder, path).split(sep).join('/'))
		.filter((path) => fits.test(path) && !path.includes('node_modules/'))
		.sort();
}

const pages = ['README.md', ...find('docs', /\.md$/), ...find('sandbox', /\.md$/)];

test.each(pages)('every link of %s leads somewhere', (page) => {
	expect(brokenLinks(page)).toEqual([]);
});

test('the index names every page', () => {
	const named = linksOf(join(checkout, 'docs/README.md')).map(({ target }) => join('docs', target));
	const unnamed = find('docs', /^docs\/[^/]+\.md$/).filter((page) => page !== 'docs/README.md' && !named.includes(page));
	expect(unnamed).toEqual([]);
});

test('every test that the docs name is there', () => {
	const named = pages.flatMap((page) =>
		[...readFileSync(join(checkout, page), 'utf8').matchAll(/`(test\/[\w/.-]+\.test\.ts)`/g)].map(([, path = '']) => ({ page, path })),
	);
	expect(named.length).toBeGreaterThan(0);
	expect(named.filter(({ path }) => !existsSync(join(checkout, path)))).toEqual([]);
});

const sources = [...find('nodes', /\.(ts|node\.json)$/), ...find('credentials', /\.ts$/), 'package.json'];

/** Addresses in the package that lead to files of this repository. */
const shown = sources.flatMap((source) =>
	[...readFileSync(join(checkout, source), 'utf8').matchAll(/https?:\/\/[^\s"'`)<>]+/g)]
		.map(([address]) => address)
		.filter((address) => address.startsWith(ONLINE))
		.map((address) => ({ source, address })),
);

test('every node and the credential name a page of their own', () => {
	const documented = new Set(shown.filter(({ address }) => !address.endsWith('/credential.md')).map(({ source }) => source));
	expect(find('nodes', /\.node\.json$/).filter((codex) => !documented.has(codex))).toEqual([]);
	expect(shown).toContainEqual({
		source: 'credentials/MediaGenApi.credentials.ts',
		address: `${ONLINE}docs/credential.md`,
	});
});

test('every page that the package names is there', () => {
	const broken = shown.flatMap(({ source, address }) => {
		const found = locate(address, checkout);
		const flaw = found && flawOf(found.path, found.anchor);
		return flaw === undefined ? [] : [`${source}: ${address}: ${flaw}`];
	});
	expect(broken).toEqual([]);
});
