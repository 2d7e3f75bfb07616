import fc from 'fast-check';

import { keyOf, MOST_SEEN, SeenTasks } from '../../../nodes/MediaGenTrigger/seenTasks';

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 0, 1, 12, 30);
const WINDOW = 24;

const taskIds = fc.uniqueArray(fc.string({ minLength: 1 }), { maxLength: 40 });

/** Another process, or this one after a restart: it knows nothing but what was stored. */
function reader(...stored: unknown[]): SeenTasks {
	const seen = new SeenTasks();
	for (const text of stored) seen.merge(text);
	return seen;
}

function noted(ids: readonly string[], state: 'started' | 'open', now = NOW): SeenTasks {
	const seen = new SeenTasks();
	for (const id of ids) seen.note(keyOf(id), state, now);
	return seen;
}

describe('What is stored of seen tasks', () => {
	test('gives every task back in its state, and no other task', () => {
		fc.assert(
			fc.property(taskIds, taskIds, taskIds, (started, open, others) => {
				const seen = noted(open, 'open');
				for (const id of started) seen.note(keyOf(id), 'started', NOW);
				const read = reader(seen.toText(WINDOW, NOW));
				for (const id of [...open, ...others, ...started]) {
					const expected = started.includes(id) ? 'started' : open.includes(id) ? 'open' : undefined;
					expect(read.stateOf(keyOf(id))).toBe(expected);
				}
			}),
		);
	});

	test('is short: eight characters for a task', () => {
		const ids = Array.from({ length: 10_000 }, (_, index) => `image_${index}`);
		expect(noted(ids, 'started').toText(WINDOW, NOW).length).toBeLessThan(8 * ids.length + 100);
	});

	test('that is no text of ours is taken for empty', () => {
		fc.assert(
			fc.property(fc.oneof(fc.anything(), fc.json(), fc.string()), (stored) => {
				const seen = reader(stored);
				expect(seen.stateOf(keyOf('task'))).toBeUndefined();
				seen.note(keyOf('task'), 'started', NOW);
				expect(reader(seen.toText(WINDOW, NOW)).stateOf(keyOf('task'))).toBe('started');
			}),
		);
	});
});

describe('Two processes that serve one trigger', () => {
	test('know all of what both have stored, in whatever order they read it', () => {
		fc.assert(
			fc.property(taskIds, taskIds, fc.boolean(), (one, other, turned) => {
				const texts = [noted(one, 'started'), noted(other, 'started')].map((seen) => seen.toText(WINDOW, NOW));
				const read = reader(...(turned ? texts.reverse() : texts));
				for (const id of [...one, ...other]) expect(read.stateOf(keyOf(id))).toBe('started');
			}),
		);
	});

	test('never let "started" become "open" again', () => {
		fc.assert(
			fc.property(taskIds, fc.boolean(), (ids, turned) => {
				const texts = [noted(ids, 'open'), noted(ids, 'started')].map((seen) => seen.toText(WINDOW, NOW));
				const read = reader(...(turned ? texts.reverse() : texts));
				for (const id of ids) expect(read.stateOf(keyOf(id))).toBe('started');
			}),
		);
	});

	test('forget nothing of their own when they overwrite one another, and store it again when they see it missing', () => {
		const calls = fc.array(fc.record({ process: fc.nat(1), id: fc.string({ minLength: 1 }), overlaps: fc.boolean() }), {
			maxLength: 60,
		});
		fc.assert(
			fc.property(calls, (steps) => {
				const processes = [new SeenTasks(), new SeenTasks()];
				const own: string[][] = [[], []];
				let stored: string | undefined;
				let readBefore: string | undefined;
				for (const { process, id, overlaps } of steps) {
					const seen = processes[process];
					// A call that overlaps another one has read the row before that one wrote it.
					seen?.merge(overlaps ? readBefore : stored);
					seen?.note(keyOf(id), 'started', NOW);
					own[process]?.push(id);
					readBefore = stored;
					stored = seen?.toText(WINDOW, NOW);
				}
				processes.forEach((seen, index) => {
					for (const id of own[index] ?? []) expect(seen.stateOf(keyOf(id))).toBe('started');
					seen.merge(stored);
					if (seen.isUnstored) stored = seen.toText(WINDOW, NOW);
				});
				for (const id of own.flat()) expect(reader(stored).stateOf(keyOf(id))).toBe('started');
			}),
		);
	});
});

describe('A start that only its beginning is known of', () => {
	const SECOND = 1_000;
	const open = noted(['task'], 'open').toText(WINDOW, NOW);

	test('is under way for 50 seconds when another process wrote it while this one ran', () => {
		const seen = reader('', open);
		expect(seen.isUnderWayElsewhere(keyOf('task'), NOW + 49 * SECOND)).toBe(true);
		expect(seen.isUnderWayElsewhere(keyOf('task'), NOW + 50 * SECOND)).toBe(false);
		expect(seen.stateOf(keyOf('task'))).toBe('open');
	});

	test('is in doubt at once when it was written before this process began', () => {
		expect(reader(open).isUnderWayElsewhere(keyOf('task'), NOW)).toBe(false);
	});

	test('is nothing to wait for when it is this process\'s own', () => {
		const seen = reader('');
		seen.note(keyOf('task'), 'open', NOW);
		seen.merge(open);
		expect(seen.isUnderWayElsewhere(keyOf('task'), NOW)).toBe(false);
	});

	test('is over once the other process has written that it started', () => {
		const seen = reader('', open, noted(['task'], 'started').toText(WINDOW, NOW));
		expect(seen.isUnderWayElsewhere(keyOf('task'), NOW)).toBe(false);
		expect(seen.stateOf(keyOf('task'))).toBe('started');
	});

	test('is under way anew when the other process has begun it anew', () => {
		const later = NOW + 60 * SECOND;
		const seen = reader('', open, noted(['task'], 'open', later).toText(WINDOW, later));
		expect(seen.isUnderWayElsewhere(keyOf('task'), later)).toBe(true);
	});
});

test('What has been noted is to be stored until it is', () => {
	const seen = noted(['task'], 'started');
	expect(seen.isUnstored).toBe(true);
	seen.toText(WINDOW, NOW);
	expect(seen.isUnstored).toBe(false);
});

describe('What has been stored is to be stored again', () => {
	const started = noted(['task'], 'started').toText(WINDOW, NOW);

	test.each([
		['with an older state', noted(['another', 'task'], 'open').toText(WINDOW, NOW)],
		['without it', noted(['another'], 'started').toText(WINDOW, NOW)],
		['with what stood there before', ''],
	])('once another process has written over it, %s', (_, over) => {
		const seen = reader('', started);
		expect(seen.isUnstored).toBe(false);
		seen.merge(over);
		expect(seen.isUnstored).toBe(true);
		expect(reader(seen.toText(WINDOW, NOW)).stateOf(keyOf('task'))).toBe('started');
	});

	test('unless another process has stored it as well', () => {
		const seen = reader('', started, '');
		expect(seen.isUnstored).toBe(true);
		seen.merge(reader(started, noted(['another'], 'open').toText(WINDOW, NOW)).toText(WINDOW, NOW));
		expect(seen.isUnstored).toBe(false);
	});
});

describe('A task is remembered', () => {
	test('for the whole window, and for no more than an hour beyond it', () => {
		fc.assert(
			fc.property(fc.integer({ min: 2, max: 200 }), fc.integer({ min: -90, max: 90 }), (window, minutes) => {
				const seen = noted(['task'], 'started');
				const later = NOW + window * HOUR + minutes * 60_000;
				expect(seen.stateOf(keyOf('task'), window, later)).toBe(reader(seen.toText(window, later)).stateOf(keyOf('task')));
				const known = reader(seen.toText(window, later)).stateOf(keyOf('task')) === 'started';
				if (later - NOW <= window * HOUR) expect(known).toBe(true);
				if (later - NOW > (window + 1) * HOUR) expect(known).toBe(false);
			}),
		);
	});

	test('unless so many came after it that the oldest must go', () => {
		const ids = Array.from({ length: MOST_SEEN + 500 }, (_, index) => `image_${index}`);
		const seen = noted(ids, 'started');
		const text = seen.toText(WINDOW, NOW);
		const read = reader(text);
		expect(ids.filter((id) => read.stateOf(keyOf(id)) === 'started')).toEqual(ids.slice(500));
		expect(text.length).toBeLessThan(8 * MOST_SEEN + 100);
	});

	test('unless it was noted anew: then from that time on', () => {
		const seen = noted(['task'], 'open', NOW - 20 * HOUR);
		seen.note(keyOf('task'), 'started', NOW);
		expect(reader(seen.toText(WINDOW, NOW + 23 * HOUR)).stateOf(keyOf('task'))).toBe('started');
	});
});

test('Keys of twenty thousand tasks are all different', () => {
	const keys = Array.from({ length: MOST_SEEN }, (_, index) => keyOf(`music_${index}`));
	expect(new Set(keys).size).toBe(MOST_SEEN);
	expect(new Set(keys.map(({ length }) => length))).toEqual(new Set([8]));
});
