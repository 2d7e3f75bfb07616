import { memoryOf, usageWarnings } from '../../../nodes/MediaGenChatModel/warnings';
import type { Question, Turn } from '../../../nodes/MediaGenChatModel/prompt/question';
import type { Usage } from '../../../nodes/shared/api/chatUsage';
import { usageOf } from '../support/usage';

let key = 0;
const newMemory = () => memoryOf(`node ${(key += 1)}`);

let memory: ReturnType<typeof newMemory>;
beforeEach(() => (memory = newMemory()));

const turn = (text: string, role: Turn['role'] = 'user'): Turn => ({
	role,
	parts: [{ type: 'text', text }],
});

const question = ({ system = 'Be brief.', tools = ['draw'], turns = ['Why?'] } = {}): Question => ({
	system: [system],
	turns: turns.map((each) => turn(each)),
	tools: tools.map((name) => ({ name, description: '', parameters: {} })),
	toolChoice: undefined,
	stop: [],
});

const NOTHING = expect.not.arrayContaining([expect.anything()]);

test('a talk that only grows is as it should be', () => {
	const turns: string[] = [];
	for (let at = 0; at < 40; at++) {
		turns.push(`Turn ${at}`);
		expect(memory.warningsOf(question({ turns }))).toEqual(NOTHING);
	}
});

test('changed tools and a changed system prompt are told, known ones are not', () => {
	expect(memory.warningsOf(question())).toEqual([]);
	expect(memory.warningsOf(question({ tools: ['draw', 'sing'] }))).toEqual([
		expect.stringContaining('The tools differ from those of the last question'),
	]);
	expect(memory.warningsOf(question({ system: 'Be kind.' }))).toEqual([
		expect.stringContaining('The system prompt differs'),
	]);
	// Two agents may share a model.
	for (const known of [{}, { tools: ['draw', 'sing'] }, { system: 'Be kind.' }])
		expect(memory.warningsOf(question(known))).toEqual([]);
});

test.each([
	['Now: 2026-11-23T04:00:00.000+00:00', 'a timestamp at character 6'],
	['Session 3f2b8c1e-9d4a-4b6f-8e2d-1a2b3c4d5e6f', 'a UUID at character 9'],
])('what changes by itself in the system prompt is told: %s', (system, what) => {
	const warnings = memory.warningsOf(question({ system }));
	expect(warnings).toEqual([
		expect.stringContaining(`The system prompt has what looks like ${what}`),
	]);
	// It has not changed.
	expect(memory.warningsOf(question({ system }))).toEqual([]);
	const [changed, again] = memory.warningsOf(question({ system: `${system} again` }));
	expect(changed).toContain('The system prompt differs');
	expect(again).toEqual(warnings[0]);
});

describe('a memory that drops the oldest turns', () => {
	const SLID = [expect.stringContaining('The memory has dropped the oldest turns')];
	const ask = (...turns: string[]) => memory.warningsOf(question({ turns }));

	test('is told, each time it does', () => {
		expect(ask('a', 'b', 'c')).toEqual([]);
		expect(ask('b', 'c', 'd')).toEqual(SLID);
		expect(ask('b', 'c', 'd', 'e')).toEqual([]);
		expect(ask('d', 'e', 'f')).toEqual(SLID);
	});

	test('is not told where the conversation is not cached', () => {
		const ask = (...turns: string[]) => memory.warningsOf(question({ turns }), false);
		expect(ask('a', 'b', 'c')).toEqual([]);
		expect(ask('b', 'c', 'd')).toEqual([]);
	});

	test('is told apart from another talk, of which several run at a time', () => {
		expect(ask('a', 'b', 'c')).toEqual([]);
		expect(ask('x', 'b', 'c')).toEqual([]);
		expect(ask('b', 'other')).toEqual([]);
		expect(ask()).toEqual([]);
		expect(ask('b', 'c', 'd')).toEqual(SLID);
	});
});

test('a warning is said once, and again after it was gone', () => {
	expect(memory.notYetSaid(['a', 'b'])).toEqual(['a', 'b']);
	expect(memory.notYetSaid(['b', 'a'])).toEqual([]);
	expect(memory.notYetSaid(['b'])).toEqual([]);
	expect(memory.notYetSaid(['a', 'b'])).toEqual(['a']);
});

test('nodes are remembered by their key, the last two hundred', () => {
	const first = newMemory();
	const name = `node ${key}`;
	expect(memoryOf(name)).toBe(first);
	for (let more = 0; more < 199; more++) newMemory();
	expect(memoryOf(name)).toBe(first);
	for (let more = 0; more < 200; more++) newMemory();
	expect(memoryOf(name)).not.toBe(first);
});

const usage = (more: Partial<Usage>) =>
	usageOf({ inputTotal: 2_000, inputUncached: 2_000, output: 1, ...more });

test.each([
	[usage({ cacheRead: 1 }), []],
	[usage({ cacheWrite: 1 }), []],
	[usage({ inputTotal: 1_023 }), [expect.stringContaining('the prompt has 1,023 tokens')]],
	[usage({ inputTotal: 1_024 }), [expect.stringContaining('neither wrote to the cache nor read')]],
	[undefined, [expect.stringContaining('does not state its input tokens')]],
])('of an answer: %#', (used, expected) => expect(usageWarnings(used)).toEqual(expected));
