import fc from 'fast-check';
import type { IExecuteFunctions } from 'n8n-workflow';

import {
	AuthenticationError,
	CanceledError,
	InvalidRequestError,
	NotFoundError,
	OtherTaskError,
	PermissionError,
	RateLimitError,
	ServerError,
} from '../../../../nodes/shared/api/errors';
import { toTaskRecord } from '../../../../nodes/shared/api/records';
import { withoutItem } from '../../../../nodes/shared/util/names';
import { pollTasks } from '../../../../nodes/shared/tasks/poll';
import { acceptedItem, type TaskRun } from '../../../../nodes/shared/tasks/taskRun';
import { setClock } from '../../../../nodes/shared/util/clock';
import { jumpingClock } from '../../../engine/support/clocks';
import { nodeOf } from '../../../support/node';

const INTERVAL_MS = 4_000;

/** Starts a clock that only sleeping moves. */
function startClock(): { began: number; passed: () => number } {
	const clock = jumpingClock();
	setClock(clock);
	const began = clock.now();
	return { began, passed: () => clock.now() - began };
}

interface Answer {
	ended?: boolean;
	estimatedSeconds?: number;
}

const recordOf = ({ ended = false, estimatedSeconds }: Answer) => {
	const status = ended ? 'completed' : 'running';
	const result = { images: [{ url: ['https://example.com/1.png'] }] };
	return toTaskRecord({
		raw: { id: 'task_1', status, estimated_time: estimatedSeconds, ...(ended && { result }) },
		status,
	});
};

interface PollRules {
	intervalMs?: number;
	deadline: number;
	signal?: AbortSignal;
}

/** Waits for a task. Returns how the wait ended: in a word, and with the error of the service if one is named. */
async function poll(
	answer: () => Answer,
	{ intervalMs = INTERVAL_MS, deadline, signal }: PollRules,
): Promise<string> {
	const run = {
		context: { getNode: () => nodeOf('Image') } as unknown as IExecuteFunctions,
		family: 'image',
		operation: 'generate',
		options: { pollInterval: intervalMs / 1_000, timeout: 600 },
		client: {
			connection: { baseUrl: 'https://example.com', brandWords: {} },
			tasks: { retrieve: async () => await Promise.resolve().then(() => recordOf(answer())) },
		},
		signal,
		deadline,
		limit: async <Result>(job: () => Promise<Result>) => await job(),
	} as unknown as TaskRun;
	const item = acceptedItem(run, { itemIndex: 0, notes: [], options: {} }, 'task_1');
	const [{ error } = item] = await pollTasks(run, [item]);
	if (!error) return 'ended';
	if (error.message.startsWith('The execution was canceled')) return 'canceled';
	const last = /The last request failed: (.*?)\. The task/.exec(error.description ?? '')?.[1];
	if (!error.message.startsWith('Task task_1 was still'))
		return `error: ${withoutItem(error.message)}`;
	return last === undefined ? 'timeout' : `timeout after: ${last}`;
}

/** Seconds, on a clock that only sleeping moves, at which a task is asked for that ends after `durationMs`. */
async function requestsAt(durationMs: number, estimatedSeconds?: number): Promise<number[]> {
	const { began, passed } = startClock();
	const requests: number[] = [];
	const answer = () => {
		requests.push(passed() / 1_000);
		return { ended: passed() >= durationMs, estimatedSeconds };
	};
	expect(await poll(answer, { deadline: began + 600_000 })).toBe('ended');
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
		['too early: then again at the interval', 11_000, 7, [1, 5, 7.25, 11.25]],
		['too late: at the interval', 6_000, 60, [1, 5, 9]],
	])('when the service expects its end %s', async (_, durationMs, estimate, requests) => {
		expect(await requestsAt(durationMs, estimate)).toEqual(requests);
	});

	const durations = fc.integer({ min: 1, max: 120_000 });

	test('no more often than its duration in intervals and two more', async () => {
		await fc.assert(
			fc.asyncProperty(durations, fc.boolean(), async (durationMs, estimated) => {
				const requests = await requestsAt(
					durationMs,
					estimated ? Math.ceil(durationMs / 1_000) : undefined,
				);
				expect(requests.length).toBeLessThanOrEqual(durationMs / INTERVAL_MS + 2);
			}),
		);
	});

	test('once more at most, and at most a second late, where the service expects what does not come', async () => {
		await fc.assert(
			fc.asyncProperty(
				durations,
				fc.integer({ min: -10, max: 150 }),
				async (durationMs, estimate) => {
					const requests = await requestsAt(durationMs, estimate);
					expect(requests.length).toBeLessThanOrEqual(durationMs / INTERVAL_MS + 3);
					expect((requests.at(-1) ?? 0) * 1_000).toBeLessThanOrEqual(
						durationMs + INTERVAL_MS + 1_000,
					);
				},
			),
		);
	});
});

describe('A wait', () => {
	/** How a wait ends, and the seconds at which it asked, when the service gives these answers; the last one stays. */
	async function waitFor(answers: Array<Error | Answer>, rules: Partial<PollRules> = {}) {
		const { began, passed } = startClock();
		const requests: number[] = [];
		const end = await poll(
			() => {
				requests.push(passed() / 1_000);
				const answer = answers.length > 1 ? answers.shift() : answers[0];
				if (answer instanceof Error) throw answer;
				return answer ?? {};
			},
			{ deadline: began + 10_000, ...rules },
		);
		return { end, requests };
	}

	const runs = {};
	const ends = { ended: true };

	test('asks a last time at its deadline', async () => {
		expect(await waitFor([runs])).toEqual({
			end: 'timeout',
			requests: [1, 5, 9, 10],
		});
	});

	test('ends well with what is there at its deadline', async () => {
		expect(await waitFor([runs, runs, runs, ends])).toEqual({
			end: 'ended',
			requests: [1, 5, 9, 10],
		});
	});

	test('asks at the interval from the beginning, if that is shorter than a second', async () => {
		expect((await waitFor([runs, ends], { intervalMs: 400 })).requests).toEqual([0.4, 0.8]);
	});

	test('goes on after an error that may pass, and names it when it was the last', async () => {
		const error = new ServerError('Server error', 'maybe');
		expect(await waitFor([error, ends])).toEqual({ end: 'ended', requests: [1, 5] });
		expect(await waitFor([runs, error])).toEqual({
			end: `timeout after: ${error.message}`,
			requests: [1, 5, 9, 10],
		});
		expect((await waitFor([error, error, runs])).end).toEqual('timeout');
	});

	test.each([
		[7_000, [1, 8]],
		[500, [1, 5]],
		[60_000, [1, 10]],
	])(
		'that is asked to pause for %d ms does, but not shorter than the interval, and not beyond its deadline',
		async (retryAfterMs, requests) => {
			expect(
				(await waitFor([new RateLimitError('x', 'no', { retryAfterMs }), ends])).requests,
			).toEqual(requests);
		},
	);

	test('asks again after half a minute, whatever pause it is asked for', async () => {
		const error = new RateLimitError('x', 'no', { retryAfterMs: 3_600_000 });
		const { began } = startClock();
		expect((await waitFor([error, ends], { deadline: began + 600_000 })).requests).toEqual([1, 31]);
	});

	test('ends with an error that does not pass', async () => {
		const error = new InvalidRequestError('Bad request');
		expect(await waitFor([error])).toEqual({ end: `error: ${error.message}`, requests: [1] });
	});

	test('goes on after a record with a 404 of the service for a minute, also long after it began', async () => {
		const { began } = startClock();
		const rules = { intervalMs: 59_000, deadline: began + 600_000 };
		const error = new NotFoundError('Task not found', 'no', { fromService: true });
		const again = await waitFor([runs, runs, error, error, ends], { ...rules, intervalMs: 58_000 });
		expect(again.end).toEqual('ended');
		const behind = await waitFor([runs, new ServerError('x', 'maybe'), error, ends], {
			...rules,
			intervalMs: 61_000,
		});
		expect(behind.end).toEqual('ended');
		expect(await waitFor([runs, runs, error, runs, error], rules)).toEqual({
			end: `error: ${error.message}`,
			requests: [1, 60, 119, 178, 237, 296, 355],
		});
	});

	test('ends with a 404 of the service a minute after it began, and never with one of another server', async () => {
		const { began } = startClock();
		const error = new NotFoundError('Task not found', 'no', { fromService: true });
		const ofService = await waitFor([error], { intervalMs: 59_000, deadline: began + 100_000 });
		expect(ofService).toEqual({ end: `error: ${error.message}`, requests: [1, 60] });
		expect(
			(await waitFor([error, error, ends], { intervalMs: 58_999, deadline: began + 100_000 })).end,
		).toBe('ended');
		const other = new NotFoundError('Task not found', 'no', { fromService: false });
		expect((await waitFor([other], { intervalMs: 59_000, deadline: began + 100_000 })).end).toEqual(
			`timeout after: ${other.message}`,
		);
	});

	test.each([AuthenticationError, PermissionError])(
		'ends with a %p of the service, and after a minute with one of another server, such as a proxy',
		async (Refusal) => {
			const { began } = startClock();
			const rules = { intervalMs: 59_000, deadline: began + 600_000 };
			const own = new Refusal('No', 'no', { fromService: true });
			expect((await waitFor([own, ends])).end).toEqual(`error: ${own.message}`);
			const other = new Refusal('No');
			expect((await waitFor([other, ends])).end).toEqual('ended');
			expect(await waitFor([runs, other], rules)).toEqual({
				end: `error: ${other.message}`,
				requests: [1, 60, 119, 178],
			});
		},
	);

	test('ends with the record of another task a minute after it began', async () => {
		const { began } = startClock();
		const error = new OtherTaskError('other');
		const rules = { intervalMs: 59_000, deadline: began + 600_000 };
		expect(await waitFor([runs, error], rules)).toEqual({
			end: `error: ${error.message}`,
			requests: [1, 60, 119, 178],
		});
		expect((await waitFor([error, ends], rules)).end).toEqual('ended');
	});

	test('ends when it is canceled, before a request or in it', async () => {
		const cancel = new AbortController();
		cancel.abort();
		expect(await waitFor([runs], { signal: cancel.signal })).toEqual({
			end: 'canceled',
			requests: [],
		});
		expect(await waitFor([new CanceledError()])).toEqual({
			end: 'canceled',
			requests: [1],
		});
	});

	test('is put off by a quarter of the interval at most for the end that the service expects', async () => {
		expect((await waitFor([{ estimatedSeconds: 5.5 }, ends])).requests).toEqual([1, 5.75]);
		expect((await waitFor([{ estimatedSeconds: 5.75 }, ends])).requests).toEqual([1, 5]);
		expect((await waitFor([{ estimatedSeconds: 0.75 }, ends])).requests).toEqual([1, 5]);
	});
});
