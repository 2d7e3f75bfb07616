import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const checkout = join(__dirname, '..', '..');

const list = readFileSync(join(checkout, 'test', 'statements.md'), 'utf8');

/** The rows of the list, below the page that they are of. */
const sections = list
	.split(/^## /m)
	.slice(1)
	.map((section) => {
		const [, page = ''] = /\(\.\.\/(.+?)\)/.exec(section) ?? [];
		const rows = [...section.matchAll(/^\| (.+) \| `(test\/.+)` \| (.+) \|$/gm)];
		return {
			page,
			rows: rows.map(([, statement = '', file = '', title = '']) => ({ statement, file, title })),
		};
	});

test('the list has the pages that promise something', () => {
	expect(sections.map(({ page }) => page)).toStrictEqual([
		'README.md',
		...['money', 'waiting', 'trigger', 'callbacks', 'credential', 'agents'].map(
			(name) => `docs/${name}.md`,
		),
	]);
});

test.each(sections)('each statement of $page has its test', ({ rows }) => {
	expect(rows.length).toBeGreaterThan(5);
	const missing = rows.filter(({ file, title }) => {
		const path = join(checkout, file);
		return !existsSync(path) || !readFileSync(path, 'utf8').includes(title);
	});
	expect(missing).toEqual([]);
});
