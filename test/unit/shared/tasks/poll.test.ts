import fc from 'fast-check';

import { pollUntilEnded } from '../../../../nodes/shared/tasks/poll';
import { setClock } from '../../../../nodes/shared/util/clock';

const INTERVAL_MS = 4_000;

/** Seconds, on a clock that only sleeping moves, at which a task is asked for that ends after `durationMs`. */
async function requestsAt(durationMs: number, estimate?: number): Promise<number[]> {
	let now = 0;
	setClock({
		now: () => now,
		sleep: async (ms) => {
			now += ms;
			return await Promise.resolve();
		},
		toHostMs: (ms) => ms,
	});
	const requests: number[] = [];
	const retrieve = async () => {
		requests.push(now / 1_000);
		return await Promise.resolve({ ended: now >= durationMs, estimatedSeconds: estimate });
	};
	const end = await pollUntilEnded(retrieve, { intervalMs: INTERVAL_MS, deadline: 600_000 });
	expect(end.reason).toBe('ended');
	return requests;
}

afterEach(() => setClock(undefined));

describe('A task is asked for', () => {
	test('after a second and then at the interval, as long as the service expects nothing', async () => {
		expect(await requestsAt(10_000)).toEqual([1, 5, 9, 13]);
	});

	test.each([
		['between two requests', 7_000, 7, [1, 5, 7.25]],
		['at once', 3_000, 3, [1, 3.25]],
		['just after a request, which is put off for it', 9_000, 9, [1, 5, 9.25]],
	])('when the service expects its end %s', async (_, durationMs, estimate, requests) => {
		expect(await requestsAt(durationMs, estimate)).toEqual(requests);
	});

	test.each([
		['too early', 11_000, 7, [1, 5, 7.25, 11.25]],
		['too late', 6_000, 60, [1, 5, 9]],
	])('at the interval all the same where the expectation is %s', async (_, durationMs, estimate, requests) => {
		expect(await requestsAt(durationMs, estimate)).toEqual(requests);
	});

	const durations = fc.integer({ min: 1, max: 120_000 });

	test('no more often than its duration in intervals and two more', async () => {
		await fc.assert(
			fc.asyncProperty(durations, fc.boolean(), async (durationMs, estimated) => {
				const requests = await requestsAt(durationMs, estimated ? Math.ceil(durationMs / 1_000) : undefined);
				expect(requests.length).toBeLessThanOrEqual(durationMs / INTERVAL_MS + 2);
			}),
		);
	});

	test('once more at most, and at most a second late, where the service expects what does not come', async () => {
		await fc.assert(
			fc.asyncProperty(durations, fc.integer({ min: -10, max: 150 }), async (durationMs, estimate) => {
				const requests = await requestsAt(durationMs, estimate);
				expect(requests.length).toBeLessThanOrEqual(durationMs / INTERVAL_MS + 3);
				expect((requests.at(-1) ?? 0) * 1_000).toBeLessThanOrEqual(durationMs + INTERVAL_MS + 1_000);
			}),
		);
	});
});
