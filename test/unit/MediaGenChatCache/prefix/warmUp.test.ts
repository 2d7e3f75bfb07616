import {
	createFingerprinter,
	prefixKeys,
} from '../../../../nodes/MediaGenChatCache/prefix/fingerprint';
import type { Part } from '../../../../nodes/MediaGenChatCache/prompt/conversation';
import { WarmUp } from '../../../../nodes/MediaGenChatCache/prefix/warmUp';

const keysOf = (model: string, prefix: Part[]) => prefixKeys(createFingerprinter()(model, prefix));

const marked = (...texts: string[]): Part[] =>
	texts.map((text) => ({ role: 'system', text, ttl: '5m' }));

/** Jobs that end by hand, and the order in which they began. */
function jobs() {
	const begun: string[] = [];
	const ends = new Map<string, (written: boolean) => void>();
	return {
		begun,
		job: (name: string) => async () =>
			await new Promise<boolean>((resolve) => {
				begun.push(name);
				ends.set(name, resolve);
			}),
		end: async (name: string) => {
			ends.get(name)?.(true);
			await new Promise(setImmediate);
		},
	};
}

const isWritten = (written: boolean) => written;

function start(items: Record<string, Part[]>) {
	const { begun, job, end } = jobs();
	const warmUp = new WarmUp();
	for (const [name, prefix] of Object.entries(items)) {
		void warmUp.run(keysOf('model', prefix), job(name), isWritten);
	}
	return { begun, end };
}

test('the first request of a prefix runs alone, the rest follow together', async () => {
	const { begun, end } = start({ a: marked('doc'), b: marked('doc'), c: marked('doc') });
	expect(begun).toEqual(['a']);
	await end('a');
	expect(begun).toEqual(['a', 'b', 'c']);
});

test('different prefixes, and requests without one, do not wait for one another', () => {
	const { begun } = start({ a: marked('one'), b: marked('two'), c: [], d: [] });
	expect(begun).toEqual(['a', 'b', 'c', 'd']);
});

test('a request that shares only the first block waits for it, and then is the first for its own second block', async () => {
	const { begun, end } = start({
		a: marked('rules', 'one'),
		b: marked('rules', 'two'),
		c: marked('rules', 'two'),
		d: marked('rules', 'one'),
	});
	expect(begun).toEqual(['a']);
	await end('a');
	expect(begun).toEqual(['a', 'b', 'd']);
	await end('b');
	expect(begun).toEqual(['a', 'b', 'd', 'c']);
});

test('a request whose prefix is written waits for no longer one', async () => {
	const [short, long] = [marked('rules'), marked('rules', 'doc')];
	const { begun, end } = start({ a: short, b: long, c: short, d: long, e: short });
	await end('a');
	expect(begun).toEqual(['a', 'b', 'c', 'e']);
});

test('after many failures in a row every request has run, one at a time', async () => {
	const warmUp = new WarmUp();
	const keys = keysOf('model', marked('rules', 'doc'));
	let running = 0;
	const most = await Promise.all(
		Array.from(
			{ length: 2_000 },
			async () =>
				await warmUp.run(
					keys,
					async () => {
						running++;
						const now = running;
						await Promise.resolve();
						running--;
						return now;
					},
					() => false,
				),
		),
	);
	expect(most).toHaveLength(2_000);
	expect(Math.max(...most)).toBe(1);
});

test('where one block ends is part of what a prefix is known by', () => {
	expect(keysOf('m', marked('ab', 'c'))[1]).not.toBe(keysOf('m', marked('a', 'bc'))[1]);
	expect(keysOf('m', marked('ab'))[0]).not.toBe(keysOf('n', marked('ab'))[0]);
	expect(keysOf('m', marked('ab', 'c'))[0]).toBe(keysOf('m', marked('ab', 'd'))[0]);
});
