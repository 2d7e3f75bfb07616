import fc from 'fast-check';

import { waitForTask } from '../../../../nodes/shared/tasks/wait';
import { setClock } from '../../../../nodes/shared/util/clock';

const INTERVAL_MS = 4_000;

/** Seconds, on a clock that only sleeping moves, at which a task is looked at that ends after `durationMs`. */
async function looksAt(durationMs: number, estimate?: unknown): Promise<number[]> {
	let now = 0;
	setClock({
		now: () => now,
		sleep: async (ms) => {
			now += ms;
			return await Promise.resolve();
		},
		toHostMs: (ms) => ms,
	});
	const looks: number[] = [];
	const look = async () => {
		looks.push(now / 1_000);
		return await Promise.resolve({ status: now >= durationMs ? 'completed' : 'in_progress', estimated_time: estimate });
	};
	const end = await waitForTask(look, { intervalMs: INTERVAL_MS, deadline: 600_000 });
	expect(end.reason).toBe('ended');
	return looks;
}

afterEach(() => setClock(undefined));

describe('A task is looked at', () => {
	test('after a second and then at the interval, as long as the service expects nothing', async () => {
		expect(await looksAt(10_000)).toEqual([1, 5, 9, 13]);
	});

	test.each([
		['between two looks', 7_000, 7, [1, 5, 7.25]],
		['at once', 3_000, 3, [1, 3.25]],
		['just after a look, which is put off for it', 9_000, 9, [1, 5, 9.25]],
	])('when the service expects its end %s', async (_, durationMs, estimate, looks) => {
		expect(await looksAt(durationMs, estimate)).toEqual(looks);
	});

	test.each([
		['too early', 11_000, 7, [1, 5, 7.25, 11.25]],
		['too late', 6_000, 60, [1, 5, 9]],
		['in words', 6_000, 'soon', [1, 5, 9]],
	])('at the interval all the same where the expectation is %s', async (_, durationMs, estimate, looks) => {
		expect(await looksAt(durationMs, estimate)).toEqual(looks);
	});

	const durations = fc.integer({ min: 1, max: 120_000 });

	test('no more often than its duration in intervals and two more', async () => {
		await fc.assert(
			fc.asyncProperty(durations, fc.boolean(), async (durationMs, estimated) => {
				const looks = await looksAt(durationMs, estimated ? Math.ceil(durationMs / 1_000) : undefined);
				expect(looks.length).toBeLessThanOrEqual(durationMs / INTERVAL_MS + 2);
			}),
		);
	});

	test('once more at most, and at most a second late, where the service expects what does not come', async () => {
		await fc.assert(
			fc.asyncProperty(durations, fc.integer({ min: -10, max: 150 }), async (durationMs, estimate) => {
				const looks = await looksAt(durationMs, estimate);
				expect(looks.length).toBeLessThanOrEqual(durationMs / INTERVAL_MS + 3);
				expect((looks.at(-1) ?? 0) * 1_000).toBeLessThanOrEqual(durationMs + INTERVAL_MS + 1_000);
			}),
		);
	});
});
