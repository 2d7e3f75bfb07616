import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { build } from 'esbuild';

const checkout = join(__dirname, '..', '..');

const page = readFileSync(join(checkout, 'docs', 'architecture.md'), 'utf8');

/** The text below a heading, up to the next heading of any level. */
function sectionOf(heading: string): string {
	const [, below] = page.split(new RegExp(`^#+ ${heading}$`, 'm'));
	if (below === undefined) throw new Error(`docs/architecture.md has no heading "${heading}"`);
	return below.split(/^#/m, 1)[0] ?? '';
}

/** The files of the numbered list below a heading, in order. */
const filesOf = (heading: string) =>
	[...sectionOf(heading).matchAll(/^\d+\. `([^`]+)`: /gm)].map(([, file = '']) => file);

/** A file and all that it imports, directly or not, other than packages and types. */
async function importsOf(file: string): Promise<string[]> {
	const { metafile } = await build({
		absWorkingDir: checkout,
		entryPoints: [file],
		bundle: true,
		write: false,
		metafile: true,
		platform: 'node',
		packages: 'external',
	});
	return Object.keys(metafile.inputs);
}

const PATHS = ['Twelve files to read first', 'To the trigger', 'To a paused execution'];

test.each(PATHS)('"%s": the first file imports all others', async (heading) => {
	const files = filesOf(heading);
	const [first = ''] = files;
	expect(files.length).toBeGreaterThan(1);
	expect(files.filter((file) => !existsSync(join(checkout, file)))).toEqual([]);
	const imported = await importsOf(first);
	expect(files.filter((file) => !imported.includes(file))).toEqual([]);
});

test('twelve files are to be read first', () => {
	expect(filesOf('Twelve files to read first')).toHaveLength(12);
});

test('every folder of the table is there', () => {
	const folders = [...sectionOf('Folders').matchAll(/^\| `([^`]+)` \|/gm)].map(
		([, folder = '']) => folder,
	);
	expect(folders.length).toBeGreaterThan(10);
	expect(folders.filter((folder) => !existsSync(join(checkout, folder)))).toEqual([]);
});
