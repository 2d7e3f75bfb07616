import { findVolatile } from '../../../nodes/shared/util/volatile';
import { warningsOf } from '../../../nodes/MediaGenChatCache/prefix/warnings';
import { StreamedAnswer } from '../../../nodes/MediaGenChatModel/answer/streamedAnswer';
import type { Part } from '../../../nodes/MediaGenChatCache/prompt/conversation';
import { isWholeLink, linkShape, resolveLink } from '../../../nodes/shared/api/address';
import { readConnection } from '../../../nodes/shared/api/connection';
import {
	errorFromResponse,
	errorFromThrown,
	errorInBody,
	toShortText,
	unreadableResponse,
} from '../../../nodes/shared/api/errors';
import {
	readTaskId,
	readTaskRecord,
	readSubmission,
	toMilliseconds,
} from '../../../nodes/shared/api/records';
import { FileNames } from '../../../nodes/shared/output/fileNames';
import { outputItems } from '../../../nodes/shared/output/items';
import { sentRequestOf, resultFiles } from '../../../nodes/shared/output/resultFiles';
import { type Task, toTask } from '../../../nodes/shared/output/task';
import { toCamelCase } from '../../../nodes/shared/util/names';
import { parseExactJson } from '../../../nodes/shared/util/json';
import { number, taskId, webUrl } from '../../../nodes/shared/util/schema';
import { nodeOf } from '../../support/node';

jest.setTimeout(180_000);

/** Four times as much takes about four times as long, with room for slower memory. Sixteen times as long would be a square. */
const MOST = 8;

const ROUNDS = { least: 2, most: 40 };

/** Microseconds in which nothing can be done 20,000 times 20,000 times, nor half as often. */
const SHORT = 150_000;

const SIZES = { small: 5_000, large: 20_000 };

/** Microseconds of processor time: what else the machine does takes none of it. */
function took(work: () => unknown): number {
	const before = process.cpuUsage();
	work();
	const { user, system } = process.cpuUsage(before);
	return user + system;
}

/**
 * How much longer the work takes with four times the size; 1 where it takes so short that it cannot be a square. The fastest of several
 * rounds counts: collecting garbage only adds time.
 */
function ratioOf<Given>(
	given: { small: Given; large: Given },
	work: (given: Given) => unknown,
): number {
	const fastest = { small: Infinity, large: Infinity };
	for (let round = 1; ; round++) {
		fastest.large = Math.min(
			fastest.large,
			took(() => work(given.large)),
		);
		if (fastest.large <= SHORT) return 1;
		fastest.small = Math.min(
			fastest.small,
			took(() => work(given.small)),
		);
		const ratio = fastest.large / fastest.small;
		if (round >= ROUNDS.most || (round >= ROUNDS.least && ratio <= MOST)) return ratio;
	}
}

const inBothSizes = <Given>(make: (size: number) => Given) => ({
	small: make(SIZES.small),
	large: make(SIZES.large),
});

const link = (at: number) => `https://files.example.com/${at}.png`;
const list = <Value>(size: number, make: (at: number) => Value) =>
	Array.from({ length: size }, (_, at) => make(at));
const titled = (size: number, field: string) =>
	list(size, (at) => ({ [field]: link(at), title: `No. ${at}` }));
const fields = (size: number, make: (at: number) => unknown) =>
	Object.fromEntries(list(size, (at) => [`field_${at}`, make(at)]));

function recordOf(raw: Record<string, unknown>) {
	const record = readTaskRecord({ id: 'task_1', status: 'completed', ...raw });
	if (!record) throw new Error('This is no record');
	return record;
}

const ORIGIN = { taskId: 'task_1', family: 'image', operation: 'generate' } as const;
const taskOf = (raw: Record<string, unknown>): Task =>
	toTask(recordOf(raw), ORIGIN, {}, 'https://api.example.com');

const node = nodeOf('Image');

const connection = readConnection({ baseUrl: 'https://api.example.com', apiKey: 'secret-1' });

/** Texts that make a pattern try again from each of its characters, if it can. */
const TEXTS: ReadonlyArray<readonly [string, (size: number) => string]> = [
	['digits', (size) => `${'1'.repeat(size)}x`],
	['a long number', (size) => `${'1'.repeat(size)}.5`],
	['a number and blanks', (size) => `1${' '.repeat(size)}x`],
	['blanks', (size) => `x${' '.repeat(size)}x`],
	['a fraction', (size) => `1.${'1'.repeat(size)}x`],
	['an exponent', (size) => `1e${'1'.repeat(size)}x`],
	['signs', (size) => '-'.repeat(size)],
	['percent signs', (size) => `1${'%'.repeat(size)}`],
	['underscores', (size) => `${'_'.repeat(size)}x`],
	['slashes', (size) => `${'/'.repeat(size)} `],
	['dots', (size) => `${'.'.repeat(size)} `],
	['host names', (size) => `${'a.'.repeat(size / 2)} `],
	['beginnings of links', (size) => `${'https://'.repeat(size / 8)} `],
	['backslashes', (size) => '\\'.repeat(size)],
	['quotes', (size) => '"'.repeat(size)],
	['brackets', (size) => '['.repeat(size)],
	['dates', (size) => '2026-01-01T'.repeat(size / 10)],
	['numbers', (size) => '12 '.repeat(size / 3)],
	['letters and digits', (size) => 'a1'.repeat(size / 2)],
	['beginnings of the key', (size) => 'secret-'.repeat(size / 7)],
	['beginnings of the key in other forms', (size) => '%2573\\u0073c2Vj73'.repeat(size / 18)],
	['the beginning of a data URL', (size) => `data:image/png${';a'.repeat(size / 2)}`],
];

/** Reads the answer to a submission, or throws over it. */
function submission(answer: unknown): unknown {
	try {
		return readSubmission(answer, () => false);
	} catch (error) {
		return error;
	}
}

/** What reads a text from outside. */
const READERS: ReadonlyArray<readonly [string, (text: string) => unknown]> = [
	[
		'a number of a record',
		(text) => readTaskRecord({ status: 'completed', progress: text, cost: text }),
	],
	['a status', (text) => readTaskRecord({ status: text })],
	[
		'the id of a task',
		(text) => [readTaskId({ id: text }), submission({ data: text }), taskId().safeParse(text)],
	],
	['a time', (text) => toMilliseconds(text)],
	['a number of a field', (text) => number().safeParse(text)],
	[
		'a link',
		(text) => [
			isWholeLink(text),
			linkShape(text),
			resolveLink(text, 'https://api.example.com'),
			webUrl().safeParse(text),
		],
	],
	[
		'a result',
		(text) => resultFiles(recordOf({ result: { video_url: text, data: text, title: text } }), null),
	],
	[
		'the name of a field',
		(text) => [toCamelCase(text), taskOf({ [text]: link(1), result: { [text]: link(2) } })],
	],
	[
		'an answer',
		(text) => [
			parseExactJson(text),
			parseExactJson(JSON.stringify([text, 1e16])),
			parseExactJson(`[${text}]`),
			toShortText(text, 300),
			toShortText([text], 300),
		],
	],
	[
		'an error',
		(text) => [
			errorInBody({ error: text, code: text }),
			unreadableResponse(200, text),
			errorFromThrown(new Error(text)),
		],
	],
	[
		'a header',
		(text) => errorFromResponse({ statusCode: 429, headers: { 'retry-after': text } }, 0),
	],
	['a text that may hold the key', (text) => connection.redact({ [text]: text })],
	['a text of a prompt', (text) => findVolatile(text)],
	['a file name', (text) => new FileNames().namesFor(taskOf({ result: { url: link(1) } }), text)],
];

describe.each(READERS)('The time for %s grows with its length', (_, read) => {
	test.each(TEXTS)('of %s', (_text, make) => {
		expect(ratioOf(inBothSizes(make), read)).toBeLessThanOrEqual(MOST);
	});
});

const BODIES: ReadonlyArray<readonly [string, (size: number) => Record<string, unknown>]> = [
	['links in a list', (size) => ({ result: { images: [{ url: list(size, link) }] } })],
	['links in objects', (size) => ({ result: { images: titled(size, 'url') } })],
	['the same link', (size) => ({ result: { urls: list(size, () => link(1)) } })],
	['tracks', (size) => ({ result: { music: titled(size, 'audio_url') } })],
	[
		'links of a grid',
		(size) => ({ grid_image_url: link(0), image_urls: list(size, (at) => link(at + 1)) }),
	],
	['links in fields', (size) => fields(size, link)],
	['links beside each other', (size) => ({ result: fields(size, link) })],
	[
		'labels beside a link',
		(size) => ({ result: { url: link(1), ...fields(size, (at) => `label ${at}`) } }),
	],
	['links as JSON text', (size) => ({ result: JSON.stringify(list(size, link)) })],
	['texts that begin like JSON', (size) => ({ result: list(size, (at) => `[${at}`) })],
	['empty lists', (size) => ({ result: { images: list(size, () => []) } })],
	[
		'stems',
		(size) => ({
			result: { music: [{ stems: list(size, (at) => ({ stem_type: 'drums', url: link(at) })) }] },
		}),
	],
];

function bodyOf(parts: Record<string, unknown>) {
	const body = { id: 'task_1', status: 'completed', ...parts };
	return { body, task: taskOf(body) };
}

type Body = ReturnType<typeof bodyOf>;

function itemsOf({ body, task }: Body, output: 'tasks' | 'files') {
	const item = { itemIndex: 0, state: 'accepted', notes: [], options: {} } as const;
	const outcome = { ...item, notes: [], taskId: 'task_1', task, record: body };
	return outputItems(node, [outcome], { simplify: true, output, binaryPropertyName: 'data' });
}

/** What goes through a whole body. */
const STEPS: ReadonlyArray<readonly [string, (given: Body) => unknown]> = [
	['its id and its state', ({ body }) => [readTaskId(body), readTaskRecord(body)]],
	['its task', ({ body }) => taskOf(body)],
	['its links', ({ body }) => sentRequestOf(body)],
	['the key in it', ({ body }) => connection.redact(body)],
	['its names of files', ({ task }) => new FileNames().namesFor(task, 'picture')],
	['its item', (given) => itemsOf(given, 'tasks')],
	['one item per file', (given) => itemsOf(given, 'files')],
];

describe.each(BODIES)('Where a body has many %s, the time grows with their number', (_, make) => {
	let given: { small: Body; large: Body };
	beforeAll(() => (given = inBothSizes((size) => bodyOf(make(size)))));

	test.each(STEPS)('for %s', (_step, step) => {
		expect(ratioOf(given, step)).toBeLessThanOrEqual(MOST);
	});
});

test('The time for the ids of an acknowledgement grows with their number', () => {
	const answers = inBothSizes((size) => ({
		data: list(size, (at) => ({ task_id: `task_${at}` })),
	}));
	expect(ratioOf(answers, (answer) => submission(answer))).toBeLessThanOrEqual(MOST);
});

test('The time for the warnings about a prompt grows with the number of its blocks', () => {
	const prefixes = inBothSizes((size) =>
		list(size, (at): Part => ({ role: 'system', text: `Rule ${at}`, ttl: '5m', block: at + 1 })),
	);
	const rest = {
		text: 'Yes',
		comparison: 'same',
		stopReason: null,
		usage: undefined,
		markers: 1,
		findVolatile: () => [],
	} as const;
	expect(ratioOf(prefixes, (prefix) => warningsOf({ ...rest, prefix }))).toBeLessThanOrEqual(MOST);
});

test('The time for an answer that is streamed grows with the number of its events', () => {
	const delta = { type: 'text_delta', text: 'word '.repeat(40) };
	const event = JSON.stringify({ type: 'content_block_delta', index: 0, delta });
	const events = inBothSizes((size) => list(size, () => event));
	const read = (given: readonly string[]) => {
		const answer = new StreamedAnswer();
		return given.map((data) => answer.add(data));
	};
	expect(ratioOf(events, read)).toBeLessThanOrEqual(MOST);
});
