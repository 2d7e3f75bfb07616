import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

import { z } from 'zod/v3';

import type { Execution } from '../../sandbox/host';
import { useFolder } from '../support/folder';
import { report } from './callbacks/report';
import { createTable, dropTable, rowsOf } from './support/dataTables';
import { killAndRestart } from './support/executions';
import { describeLongWithOwnHosts, useHost } from './support/hosts';
import { eventually, until } from './support/poll';
import { callbacksAreOver, SUBMISSION, useSandbox } from './support/sandbox';
import { EXAMPLE_CREDENTIAL, readExample } from './support/workflows';

const TABLE = 'Ledger';

/** The gate takes fewer rows, and fewer kills. */
const ROWS = Number(process.env.MEDIAGEN_ROWS ?? 50);

const PER_DAY = Math.floor(0.4 * ROWS);

/** Rows that are bought at a time: as many may be in doubt after a kill. */
const BATCH = 5;

const KILLS = Number(process.env.MEDIAGEN_KILLS ?? 5);

/** The Data Table node of n8n 1.123 cannot create a table. */
const CREATE = 'Create the Ledger';

/**
 * n8n 1.123 shares one connection to SQLite among all that write: after two transactions at a time, it can hold one open, and a
 * crash takes back what a Data Table took since. n8n 2 has this setting by default, and docs/buy-once.md asks for it.
 */
const POOL = { DB_SQLITE_POOL_SIZE: '2' };

const rowSchema = z.object({
	id: z.number(),
	key: z.string(),
	title: z.string(),
	claimed: z.string().nullish(),
	task: z.string().nullish(),
	ended: z.string().nullish(),
	file: z.string().nullish(),
	problem: z.string().nullish(),
});

type Row = z.infer<typeof rowSchema>;

const TEARS = { type: 'failTask', message: 'The canvas tore' } as const;

const isUnsure = ({ claimed, ended }: Row) => Boolean(claimed) && !ended;

const exampleSchema = z
	.object({
		nodes: z.array(z.object({ name: z.string(), parameters: z.record(z.unknown()) }).passthrough()),
		connections: z.record(
			z.object({ main: z.array(z.array(z.object({ node: z.string() }).passthrough())) }),
		),
	})
	.passthrough();

type Example = z.infer<typeof exampleSchema>;

/** The example with some nodes' parameters changed, as a person changes them. */
const withParameters = (
	example: Example,
	change: (node: Example['nodes'][number]) => object | false | undefined,
): Example => ({
	...example,
	nodes: example.nodes.map((node) => ({
		...node,
		parameters: { ...node.parameters, ...change(node) },
	})),
});

interface Settings {
	today?: string;
	tasksPerDay?: number;
}

/** Prompts of the rows, and a column of the user's own; rows whose number is in `changed` are others than before. */
const prompts = (...changed: number[]) =>
	Array.from({ length: ROWS }, (_, row) => ({
		title: `Row ${row}`,
		prompt: `${changed.includes(row) ? 'Another picture' : 'A picture'} of boat ${row}`,
		shape: '9:16',
	}));

describeLongWithOwnHosts('The example that buys once', '2.41', (version, start) => {
	const folder = useFolder();
	const host = useHost(start, () => ({
		// n8n 2 writes to one folder in the home of its user, which is everybody's here.
		env: { N8N_RESTRICT_FILE_ACCESS_TO: folder(), ...(version === '1.123' && POOL) },
	}));
	const sandbox = useSandbox(host, EXAMPLE_CREDENTIAL, { durations: { image: 300 } });
	beforeEach(async () => await dropTable(host(), TABLE));

	const rows = async () => (await rowsOf(host(), TABLE)).map((row) => rowSchema.parse(row));

	/** What docs/buy-once.md says of n8n 1.123, which cannot create a table in a workflow, nor find one by its name. */
	async function withTable(example: Example): Promise<Example> {
		if (version !== '1.123') return example;
		const created = example.nodes.find(({ name }) => name === CREATE);
		const { column } = z
			.object({ column: z.array(z.object({ name: z.string(), type: z.string() })) })
			.parse(created?.parameters.columns);
		const value = await createTable(host(), TABLE, column);
		const connections = Object.entries(example.connections).map(([from, { main }]) => {
			const left = main.map((links) => links.filter(({ node }) => node !== CREATE));
			return [from, { main: left }] as const;
		});
		const dataTableId = { __rl: true, mode: 'id', value };
		const nodes = example.nodes.filter(({ name }) => name !== CREATE);
		return withParameters(
			{ ...example, nodes, connections: Object.fromEntries(connections) },
			({ parameters }) => 'dataTableId' in parameters && { dataTableId },
		);
	}

	/** The example with rows and settings of the test, as a person writes them into its nodes. */
	function withRows(
		example: Example,
		table: object,
		{ today, tasksPerDay = 200 }: Settings = {},
	): Example {
		const day = today ?? '={{ $now.toISODate() }}';
		const assignments = [
			{ id: 'today', name: 'today', type: 'string', value: day },
			{ id: 'tasksPerDay', name: 'tasksPerDay', type: 'number', value: tasksPerDay },
			{ id: 'folder', name: 'folder', type: 'string', value: folder() },
		];
		const given: Record<string, object> = {
			Rows: { jsonOutput: JSON.stringify({ rows: table }) },
			Check: { size: '={{ $json.shape }}' },
			Buy: { size: '={{ $json.shape }}' },
			Settings: { assignments: { assignments } },
			'Every Day': { rule: { interval: [{ field: 'hours', hoursInterval: 24 }] } },
		};
		return withParameters(example, ({ name }) => given[name]);
	}

	async function example(): Promise<Example> {
		return await withTable(exampleSchema.parse(readExample('buy-once')));
	}

	async function importWith(...given: Parameters<typeof withRows>): Promise<string> {
		return (await host().importWorkflow(withRows(...given))).id;
	}

	const run = async (id: string) => await host().run(id, { trigger: 'Run', timeout: 240_000 });

	async function runBySchedule(example: Example): Promise<Execution> {
		const rule = { interval: [{ field: 'minutes', minutesInterval: 1 }] };
		const { id } = await host().importWorkflow(
			withParameters(example, ({ name }) => name === 'Every Day' && { rule }),
		);
		await host().activate(id);
		const latest = async () => (await host().executions({ workflowId: id }))[0];
		const first = await eventually('an execution by schedule', latest, 120_000);
		// Before the next minute.
		await host().deactivate(id);
		return await host().waitFor(first.id, { timeout: 240_000 });
	}

	const bought = () => sandbox().ledger().accepted;

	test(`${ROWS} rows, run three times with one changed row: ${ROWS + 1} purchases, and each row has its file`, async () => {
		const definition = await example();
		const first = await run(await importWith(definition, prompts()));
		expect(first.status).toBe('success');
		expect(bought()).toBe(ROWS);
		expect((await runBySchedule(withRows(definition, prompts(7)))).status).toBe('success');
		expect(bought()).toBe(ROWS + 1);
		expect((await run(await importWith(definition, prompts(7)))).status).toBe('success');
		expect(bought()).toBe(ROWS + 1);
		const files = (await rows()).map(({ file }) => file ?? '');
		expect(new Set(files).size).toBe(ROWS + 1);
		expect(files.filter((file) => !existsSync(file))).toEqual([]);
		const bodies = sandbox()
			.requests.list(SUBMISSION)
			.map(({ body }) => body);
		expect(bodies).toEqual(Array(ROWS + 1).fill(expect.objectContaining({ size: '9:16' })));
	}, 900_000);

	test(`stopped once and killed ${KILLS} times: nothing is bought twice, and what may have been bought is named, at most ${BATCH} rows each time`, async () => {
		const id = await importWith(await example(), prompts());
		await host().activate(id);
		const doubts: number[] = [];
		for (let at = 0; at <= KILLS; at++) {
			const enough = bought() + 3 + at;
			const execution = await host().start(id, 'Run');
			const some = await until(bought, (count) => count >= enough, 60_000);
			expect(some).toBeGreaterThanOrEqual(enough);
			await delay(40 * at);
			if (at === 0) {
				await host().stopExecution(execution ?? '');
			} else {
				await killAndRestart(host());
			}
			doubts.push((await rows()).filter(isUnsure).length);
		}
		await callbacksAreOver(sandbox(), 120_000);
		expect((await run(id)).status).toBe('success');
		const unsure = (await rows()).filter(isUnsure);
		report(`Buy once, n8n ${version}, stopped once and killed ${KILLS} times`, {
			rows: ROWS,
			'in doubt after each': doubts.join(', '),
			'in doubt in the end': unsure.length,
			'bought in the end': bought(),
		});
		expect(bought()).toBeLessThanOrEqual(ROWS);
		expect(unsure.length).toBeLessThanOrEqual(BATCH * (KILLS + 1));
		expect(unsure.filter(({ problem }) => !problem?.startsWith('May have been bought'))).toEqual(
			[],
		);
		const missing = (await rows()).filter((row) => !isUnsure(row) && !existsSync(row.file ?? ''));
		expect(missing).toEqual([]);
		await host().deactivate(id);
	}, 900_000);

	test(`${PER_DAY} a day: ${PER_DAY}, ${PER_DAY} and ${ROWS - 2 * PER_DAY} of ${ROWS} rows on three days`, async () => {
		const definition = await example();
		const perDay: number[] = [];
		for (const today of ['2026-03-01', '2026-03-02', '2026-03-03']) {
			const before = bought();
			const id = await importWith(definition, prompts(), { today, tasksPerDay: PER_DAY });
			// A second run on the same day buys nothing more.
			expect((await run(id)).status).toBe('success');
			expect((await run(id)).status).toBe('success');
			perDay.push(bought() - before);
		}
		expect(perDay).toEqual([PER_DAY, PER_DAY, ROWS - 2 * PER_DAY]);
	}, 900_000);

	/** Runs some of the rows on a day. Returns how many tasks were bought, and the rows of the table by their titles. */
	async function day(definition: Example, today: string, given: object, tasksPerDay: number) {
		const before = bought();
		const id = await importWith(definition, given, { today, tasksPerDay });
		expect((await run(id)).status).toBe('success');
		const table = Object.fromEntries((await rows()).map((row) => [row.title, row]));
		return { bought: bought() - before, table };
	}

	test('rows whose task failed say why, come after new ones, and are within the budget', async () => {
		const definition = await example();
		sandbox().faults.add({ match: SUBMISSION, count: null, effect: TEARS });
		const first = await day(definition, '2026-03-01', prompts().slice(0, 6), 6);
		expect(first.bought).toBe(6);
		const reasons = Array(6).fill(expect.stringMatching(/^Task .* failed: The canvas tore/));
		expect(Object.values(first.table).map(({ problem }) => problem)).toEqual(reasons);
		const second = await day(definition, '2026-03-02', prompts().slice(0, 6), 2);
		expect(second.bought).toBe(2);
		expect(Object.values(second.table).map(({ problem }) => problem)).toEqual(reasons);
		sandbox().faults.clear();
		const third = await day(definition, '2026-03-03', prompts().slice(0, 8), 2);
		expect(third.bought).toBe(2);
		const files = Object.values(third.table).filter(({ file }) => file);
		expect(files.map(({ title }) => title)).toEqual(['Row 6', 'Row 7']);
		const last = await day(definition, '2026-03-04', prompts().slice(0, 8), 200);
		expect(last.bought).toBe(6);
		expect(Object.values(last.table).filter(({ file, problem }) => !file || problem)).toEqual([]);
	}, 900_000);

	test('rows whose files are gone do not hold up those behind them, and what is left for another day has no note', async () => {
		const definition = await example();
		const { image } = sandbox().settings.get().linkTtl;
		sandbox().settings.set({ linkTtl: { image: 1 } });
		expect((await day(definition, '2026-03-01', prompts().slice(0, 2), 2)).bought).toBe(2);
		sandbox().settings.set({ linkTtl: { image } });
		const { bought: others, table } = await day(definition, '2026-03-02', prompts().slice(0, 5), 2);
		expect(others).toBe(2);
		expect(table['Row 0']?.problem).toMatch(/its files are gone/);
		expect(table['Row 1']?.problem).toMatch(/its files are gone/);
		expect(existsSync(table['Row 2']?.file ?? '')).toBe(true);
		expect(existsSync(table['Row 3']?.file ?? '')).toBe(true);
		for (const cell of ['claimed', 'task', 'file', 'problem'] as const)
			expect(table['Row 4']?.[cell] || null).toBeNull();
		expect((await day(definition, '2026-03-03', prompts().slice(0, 5), 2)).bought).toBe(1);
	}, 900_000);

	test('a task that only its callback names is kept, and counts to the budget of its day', async () => {
		const definition = await example();
		// The callback of the first comes before the end of a submission whose answer is lost, and the second is answered later.
		sandbox().faults.add({ match: SUBMISSION, effect: { type: 'callbackFirst' } });
		sandbox().faults.add({ match: SUBMISSION, effect: { type: 'reset', when: 'after' } });
		sandbox().faults.add({ match: SUBMISSION, nth: 2, effect: { type: 'slow', ms: 3_000 } });
		const id = await importWith(definition, prompts().slice(0, 2), {
			today: '2026-03-01',
			tasksPerDay: 2,
		});
		await host().activate(id);
		expect((await run(id)).status).toBe('success');
		const [row] = await rows();
		expect(row?.problem).toMatch(/may have been bought|connection/i);
		expect(row?.ended).toBeTruthy();
		await host().deactivate(id);
		const again = await day(definition, '2026-03-01', prompts().slice(0, 3), 2);
		expect(bought()).toBe(2);
		expect(again.table['Row 0']).toMatchObject({ task: row?.ended, problem: '' });
		expect(existsSync(again.table['Row 0']?.file ?? '')).toBe(true);
		expect(again.table['Row 2']?.task || null).toBeNull();
		expect((await day(definition, '2026-03-02', prompts().slice(0, 3), 2)).bought).toBe(1);
	}, 900_000);

	test('a late callback of a failed task does not take the place of the task that was bought after it', async () => {
		const given = prompts().slice(0, 1);
		const id = await importWith(await example(), given);
		await host().activate(id);
		sandbox().faults.add({ match: SUBMISSION, effect: TEARS });
		sandbox().faults.add({ effect: { type: 'missingCallback' } });
		expect((await run(id)).status).toBe('success');
		const task = async () => (await rows())[0]?.task ?? '';
		const failed = await task();
		sandbox().faults.add({ match: SUBMISSION, effect: { type: 'duration', ms: null } });
		const execution = await host().start(id, 'Run');
		const running = await until(task, (found) => found !== failed, 120_000);
		sandbox().deliveries.send({ taskId: failed });
		const ended = async () =>
			(await host().executions({ workflowId: id, status: ['success'] })).length;
		expect(await until(ended, (count) => count === 2, 120_000)).toBe(2);
		expect(await task()).toBe(running);
		sandbox().tasks.finish(running);
		expect((await host().waitFor(execution ?? '', { timeout: 240_000 })).status).toBe('success');
		expect(await task()).toBe(running);
		await host().deactivate(id);
	}, 900_000);
});
