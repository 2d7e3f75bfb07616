import fc from 'fast-check';

import {
	type EventState,
	keyOf,
	MOST_PROCESSED,
	ProcessedTasks,
} from '../../../nodes/MediaGenTrigger/processedTasks';

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 0, 1, 12, 30);
const WINDOW = 24;

/** What is known of a task, if nothing else is said at the time at which it was noted. */
const stateIn = (tasks: ProcessedTasks, taskId = 'task', now = NOW): EventState =>
	tasks.stateOf(keyOf(taskId), WINDOW, now);

const taskIds = fc.uniqueArray(fc.string({ minLength: 1 }), { maxLength: 40 });

/** Another process, or this one after a restart: it knows nothing but what was stored. */
function reader(...stored: unknown[]): ProcessedTasks {
	const tasks = new ProcessedTasks();
	for (const text of stored) tasks.merge(text);
	return tasks;
}

function noted(ids: readonly string[], state: 'started' | 'starting', now = NOW): ProcessedTasks {
	const tasks = new ProcessedTasks();
	for (const id of ids) tasks.note(keyOf(id), state, now);
	return tasks;
}

describe('What is stored of processed tasks', () => {
	test('gives every task back in its state, and no other task', () => {
		fc.assert(
			fc.property(taskIds, taskIds, taskIds, (started, open, others) => {
				const tasks = noted(open, 'starting');
				for (const id of started) tasks.note(keyOf(id), 'started', NOW);
				const read = reader(tasks.toText(WINDOW, NOW));
				for (const id of [...open, ...others, ...started]) {
					const expected = started.includes(id) ? 'started' : open.includes(id) ? 'inDoubt' : 'new';
					expect(stateIn(read, id)).toBe(expected);
				}
			}),
		);
	});

	test('is short: eight characters for a task', () => {
		const ids = Array.from({ length: 10_000 }, (_, index) => `image_${index}`);
		expect(noted(ids, 'started').toText(WINDOW, NOW).length).toBeLessThan(8 * ids.length + 100);
	});

	test('that is no text of ours is treated as empty', () => {
		fc.assert(
			fc.property(fc.oneof(fc.anything(), fc.json(), fc.string()), (stored) => {
				const tasks = reader(stored);
				expect(stateIn(tasks)).toBe('new');
				tasks.note(keyOf('task'), 'started', NOW);
				expect(stateIn(reader(tasks.toText(WINDOW, NOW)))).toBe('started');
			}),
		);
	});
});

describe('Two processes that serve one trigger', () => {
	test('know all of what both have stored, in whatever order they read it', () => {
		fc.assert(
			fc.property(taskIds, taskIds, fc.boolean(), (one, other, turned) => {
				const texts = [noted(one, 'started'), noted(other, 'started')].map((tasks) =>
					tasks.toText(WINDOW, NOW),
				);
				const read = reader(...(turned ? texts.reverse() : texts));
				for (const id of [...one, ...other]) expect(stateIn(read, id)).toBe('started');
			}),
		);
	});

	test('never let "started" become "open" again', () => {
		fc.assert(
			fc.property(taskIds, fc.boolean(), (ids, turned) => {
				const texts = [noted(ids, 'starting'), noted(ids, 'started')].map((tasks) =>
					tasks.toText(WINDOW, NOW),
				);
				const read = reader(...(turned ? texts.reverse() : texts));
				for (const id of ids) expect(stateIn(read, id)).toBe('started');
			}),
		);
	});

	test('forget nothing of their own when they overwrite one another, and store it again when they see it missing', () => {
		const calls = fc.array(
			fc.record({ process: fc.nat(1), id: fc.string({ minLength: 1 }), overlaps: fc.boolean() }),
			{ maxLength: 60 },
		);
		fc.assert(
			fc.property(calls, (steps) => {
				const processes = [new ProcessedTasks(), new ProcessedTasks()];
				const own: string[][] = [[], []];
				let stored: string | undefined;
				let readBefore: string | undefined;
				for (const { process, id, overlaps } of steps) {
					const tasks = processes[process];
					// A call that overlaps another one has read the row before that one wrote it.
					tasks?.merge(overlaps ? readBefore : stored);
					tasks?.note(keyOf(id), 'started', NOW);
					own[process]?.push(id);
					readBefore = stored;
					stored = tasks?.toText(WINDOW, NOW);
				}
				processes.forEach((tasks, index) => {
					for (const id of own[index] ?? []) expect(stateIn(tasks, id)).toBe('started');
					tasks.merge(stored);
					if (tasks.isUnstored) stored = tasks.toText(WINDOW, NOW);
				});
				for (const id of own.flat()) expect(stateIn(reader(stored), id)).toBe('started');
			}),
		);
	});
});

describe('A start that only its beginning is known of', () => {
	const SECOND = 1_000;
	const open = noted(['task'], 'starting').toText(WINDOW, NOW);

	test('is under way for 50 seconds when another process wrote it while this one ran, then in doubt', () => {
		const tasks = reader('', open);
		expect(stateIn(tasks, 'task', NOW + 49 * SECOND)).toBe('starting');
		expect(stateIn(tasks, 'task', NOW + 50 * SECOND)).toBe('inDoubt');
	});

	test('is in doubt at once when it was written before this process began', () => {
		expect(stateIn(reader(open))).toBe('inDoubt');
	});

	test('is under way when it was written after this process began, which read nothing before', () => {
		const tasks = new ProcessedTasks(NOW - SECOND);
		tasks.merge(open);
		expect(stateIn(tasks)).toBe('starting');
	});

	test("is under way for 50 seconds when it is this process's own, then in doubt", () => {
		const tasks = reader('');
		tasks.note(keyOf('task'), 'starting', NOW);
		tasks.merge(open);
		expect(stateIn(tasks, 'task', NOW + 49 * SECOND)).toBe('starting');
		expect(stateIn(tasks, 'task', NOW + 50 * SECOND)).toBe('inDoubt');
	});

	test('is over once the other process has written that it started', () => {
		const tasks = reader('', open, noted(['task'], 'started').toText(WINDOW, NOW));
		expect(stateIn(tasks)).toBe('started');
	});

	test('is under way again when the other process has begun it again', () => {
		const later = NOW + 60 * SECOND;
		const tasks = reader('', open, noted(['task'], 'starting', later).toText(WINDOW, later));
		expect(stateIn(tasks, 'task', later)).toBe('starting');
	});
});

test('What has been noted is to be stored until it is', () => {
	const tasks = noted(['task'], 'started');
	expect(tasks.isUnstored).toBe(true);
	tasks.toText(WINDOW, NOW);
	expect(tasks.isUnstored).toBe(false);
});

describe('What has been stored is to be stored again', () => {
	const started = noted(['task'], 'started').toText(WINDOW, NOW);

	test.each([
		['with an older state', noted(['another', 'task'], 'starting').toText(WINDOW, NOW)],
		['without it', noted(['another'], 'started').toText(WINDOW, NOW)],
		['with what stood there before', ''],
	])('once another process has written over it, %s', (_, over) => {
		const tasks = reader('', started);
		expect(tasks.isUnstored).toBe(false);
		tasks.merge(over);
		expect(tasks.isUnstored).toBe(true);
		expect(stateIn(reader(tasks.toText(WINDOW, NOW)))).toBe('started');
	});

	test('unless another process has stored it as well', () => {
		const tasks = reader('', started, '');
		expect(tasks.isUnstored).toBe(true);
		tasks.merge(
			reader(started, noted(['another'], 'starting').toText(WINDOW, NOW)).toText(WINDOW, NOW),
		);
		expect(tasks.isUnstored).toBe(false);
	});
});

describe('A task is remembered', () => {
	test('for the whole window, and for no more than an hour beyond it', () => {
		fc.assert(
			fc.property(
				fc.integer({ min: 2, max: 200 }),
				fc.integer({ min: -90, max: 90 }),
				(window, minutes) => {
					const tasks = noted(['task'], 'started');
					const later = NOW + window * HOUR + minutes * 60_000;
					expect(tasks.stateOf(keyOf('task'), window, later)).toBe(
						reader(tasks.toText(window, later)).stateOf(keyOf('task'), window, later),
					);
					const known =
						reader(tasks.toText(window, later)).stateOf(keyOf('task'), window, later) === 'started';
					if (later - NOW <= window * HOUR) expect(known).toBe(true);
					if (later - NOW > (window + 1) * HOUR) expect(known).toBe(false);
				},
			),
		);
	});

	test('unless so many came after it that the oldest must go', () => {
		const ids = Array.from({ length: MOST_PROCESSED + 500 }, (_, index) => `image_${index}`);
		const tasks = noted(ids, 'started');
		const text = tasks.toText(WINDOW, NOW);
		const read = reader(text);
		expect(ids.filter((id) => stateIn(read, id) === 'started')).toEqual(ids.slice(500));
		expect(text.length).toBeLessThan(8 * MOST_PROCESSED + 100);
	});

	test('unless it was noted again: then from that time on', () => {
		const tasks = noted(['task'], 'starting', NOW - 20 * HOUR);
		tasks.note(keyOf('task'), 'started', NOW);
		expect(stateIn(reader(tasks.toText(WINDOW, NOW + 23 * HOUR)), 'task', NOW + 23 * HOUR)).toBe(
			'started',
		);
	});
});

test('Keys of twenty thousand tasks are all different', () => {
	const keys = Array.from({ length: MOST_PROCESSED }, (_, index) => keyOf(`music_${index}`));
	expect(new Set(keys).size).toBe(MOST_PROCESSED);
	expect(new Set(keys.map(({ length }) => length))).toEqual(new Set([8]));
});
