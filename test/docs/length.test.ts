import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { ALL_NODES } from '../support/allNodes';

const checkout = join(__dirname, '..', '..');

const read = (page: string) => readFileSync(join(checkout, page), 'utf8');

/** Words outside of code. */
const wordsIn = (text: string) =>
	text
		.replace(/^```[^]*?^```/gm, '')
		.split(/\s+/)
		.filter(Boolean).length;

/** Pages for readers other than users, and one of pictures. */
const NOT_COUNTED = ['architecture.md', 'gallery.md'];

test('the pages for users have at most 12,000 words together, without code', () => {
	const pages = readdirSync(join(checkout, 'docs')).filter(
		(name) => name.endsWith('.md') && !NOT_COUNTED.includes(name),
	);
	expect(pages.length).toBeGreaterThan(10);
	const words = pages.map((page) => wordsIn(read(join('docs', page))));
	expect(words.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(12_000);
});

test('the performance page has at most 500 words', () => {
	expect(wordsIn(read('docs/performance.md'))).toBeLessThanOrEqual(500);
});

test('the README has at most 110 lines', () => {
	expect(read('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(110);
});

const PICTURES = join(checkout, 'docs', 'images');

test('no picture has more than 150 kB', () => {
	const large = readdirSync(PICTURES).filter(
		(name) => statSync(join(PICTURES, name)).size > 150_000,
	);
	expect(large).toEqual([]);
});

// The model of an agent cannot run alone.
test.each(Object.keys(ALL_NODES).filter((page) => page !== 'chat-model'))(
	'the page %s shows the panel and an output',
	(page) => {
		expect(read(`docs/${page}.md`)).toContain(`](images/panel-${page}.png)`);
		expect(read(`docs/${page}.md`)).toContain(`](images/result-${page}.png)`);
	},
);
