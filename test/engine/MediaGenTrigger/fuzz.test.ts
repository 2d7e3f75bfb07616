import fc from 'fast-check';

import { words } from '../../support/words';
import { useScriptedService } from '../support/scriptedService';
import { TriggerHost } from '../support/triggerHost';

/** The fast suite takes few. */
const BODIES = Number(process.env.MEDIAGEN_FUZZ ?? 300);

/** Another one makes other bodies. */
const SEED = Number(process.env.MEDIAGEN_FUZZ_SEED ?? 20_260_101);

/**
 * Milliseconds of processor time for a call before it asks the service, n8n's reading of the JSON apart. What is promised is 50; in the
 * fast suite, a processor of any speed has to keep it.
 */
const AT_MOST_MS = process.env.MEDIAGEN_FUZZ === undefined ? 300 : 50;

/** Collecting garbage adds time to a call: the fastest of so many counts. */
const TRIES = 10;

const LARGEST = 1_000_000;

const service = useScriptedService();

/** A piece of text, many times over: what makes a pattern or a loop try again. */
const long = fc
	.tuple(
		fc.constantFrom(
			...words('1 - . / \\ " [ {"a": _ a. % é https://'),
			...[' ', '1 ', '\ud800', '\u0000'],
		),
		fc.nat(LARGEST / 8),
		fc.constantFrom('', 'x', ' ', '"', '1'),
	)
	.map(([piece, times, end]) => piece.repeat(Math.min(times, LARGEST / 8 / piece.length)) + end);

const text = fc.oneof(
	{ weight: 4, arbitrary: fc.string() },
	{ weight: 2, arbitrary: fc.string({ unit: 'binary' }) },
	{ weight: 1, arbitrary: long },
);

const scalar = fc.oneof(
	text,
	fc.double(),
	fc.integer(),
	fc.constantFrom(null, true, false, '', 'NaN', '100%', 1e308, -0),
);

const link = fc.nat(9_999).map((at) => `https://files.example.com/${at}.png`);

const wide = fc
	.nat(15_000)
	.chain((length) =>
		fc
			.oneof(link, fc.constantFrom('[', 1, null))
			.map((value) =>
				Array.from({ length }, (_, at) => (typeof value === 'string' ? value + at : value)),
			),
	);

const deep = fc.tuple(fc.nat(100_000), fc.boolean()).map(([depth, inObjects]) => {
	const [opening, closing] = inObjects ? ['{"data":', '}'] : ['[', ']'];
	return JSON.parse(`${opening.repeat(depth)}1${closing.repeat(depth)}`) as unknown;
});

const value = fc.oneof(
	{ weight: 6, arbitrary: scalar },
	{ weight: 2, arbitrary: fc.jsonValue() },
	{ weight: 1, arbitrary: wide },
	{ weight: 1, arbitrary: deep },
);

const statusWord = fc.oneof(
	{
		weight: 5,
		arbitrary: fc.constantFrom(...words('completed SUCCESS failed in_progress pending checking')),
	},
	{ weight: 1, arbitrary: value },
);

/** Ids of tasks that the service does not have, and a few that it has. */
const id = fc.oneof(
	{ weight: 5, arbitrary: fc.string({ minLength: 1, maxLength: 140 }) },
	{
		weight: 2,
		arbitrary: fc.constantFrom('task_1', ' task_1', './task_1', 'TASK_1', 'task_1%00', 'task_1/'),
	},
	{ weight: 1, arbitrary: value },
);

const record = fc
	.tuple(
		fc.record(
			{
				id,
				task_id: id,
				status: statusWord,
				progress: value,
				result: value,
				error: value,
				cost: value,
				completed: value,
			},
			{ requiredKeys: [] },
		),
		fc.dictionary(text, value, { maxKeys: 4 }),
	)
	.map(([known, others]) => ({ ...others, ...known }));

const body = fc.oneof(
	{ weight: 5, arbitrary: record },
	{
		weight: 2,
		arbitrary: fc.record(
			{
				code: scalar,
				data: fc.oneof(record, fc.array(record, { maxLength: 3 }), value),
				status: statusWord,
			},
			{ requiredKeys: ['data'] },
		),
	},
	{ weight: 1, arbitrary: value },
);

/** The one task that the service has. */
const KNOWN = 'task_1';

function took(work: () => unknown): number {
	const before = process.cpuUsage();
	work();
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1_000;
}

function sizeOf(given: unknown): number {
	try {
		return JSON.stringify(given)?.length ?? 0;
	} catch {
		// Too deep for n8n to write. It is small: each level takes two or nine characters.
		return 0;
	}
}

test(
	`No body of a callback holds n8n up or starts an execution for a task that the service does not have (${BODIES} bodies)`,
	async () => {
		const picture = {
			id: KNOWN,
			status: 'completed',
			result: { images: [{ url: ['https://files.example.com/1.png'] }] },
		};
		service.on('GET', `/v1/tasks/${KNOWN}`, { json: picture });
		let refused = 0;
		let started = 0;
		await fc.assert(
			fc.asyncProperty(body, async (given) => {
				fc.pre(sizeOf(given) <= LARGEST);
				const host = new TriggerHost(service.credential(), { downloadFiles: false });
				// Up to its first wait, the call reads all that it reads before the service has answered.
				let call: ReturnType<TriggerHost['call']> | undefined;
				let fastest = took(() => (call = host.call(given)));
				for (let again = 1; again < TRIES && fastest > AT_MOST_MS; again++) {
					fastest = Math.min(
						fastest,
						took(() => void host.call(given).catch(() => undefined)),
					);
				}
				expect(fastest).toBeLessThanOrEqual(AT_MOST_MS);

				const made = await call;
				if (made?.starts) {
					started++;
					expect(made.starts.map(({ json }) => json.taskId)).toStrictEqual([KNOWN]);
					await host.run(made.starts);
					expect(await made.answer).toMatchObject({ status: 200 });
				} else {
					refused++;
					expect([200, 400, 503]).toContain((await made?.answer)?.status);
				}
				service.requests.length = 0;
			}),
			{ numRuns: BODIES, seed: SEED, endOnFailure: true },
		);
		// Both happen.
		expect(refused).toBeGreaterThan(0);
		expect(started).toBeGreaterThan(0);
	},
	240_000 + BODIES * 50,
);
