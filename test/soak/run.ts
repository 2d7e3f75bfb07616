/**
 * Buys tasks of all families on a real n8n under random faults, stopped executions and kills, and looks for each purchase that the
 * service accepted: whether a user learns of it, and whether an item was bought twice. `npm run test:soak`; about 8 minutes per n8n.
 *
 * N8N_HOSTS=1.123,2.41 · SOAK_PURCHASES=500 · SOAK_MINUTES=6 · SOAK_KILLS=3 · SOAK_SEED=<seed that an earlier run printed>
 */
import { setTimeout as delay } from 'node:timers/promises';
import {
	type Execution,
	type Host,
	type HostVersion,
	packPackage,
	parseHostVersions,
	startHost,
	terminalProgress,
} from '../../sandbox/host';
import { createSandbox, type Sandbox } from '../../sandbox/service';
import { until } from '../e2e/support/poll';
import { credentialFor } from '../e2e/support/sandbox';
import { tally } from '../support/tally';
import { addFault, addHang } from './faults';
import {
	boughtTwice,
	type End,
	endOf,
	type Purchase,
	purchasesOf,
	readAll,
} from './checkPurchases';
import { Random } from './random';
import { CONCURRENCY, type SoakWorkflow, soakWorkflows } from './workflows';

const PURCHASES = Number(process.env.SOAK_PURCHASES ?? 500);
const MINUTES = Number(process.env.SOAK_MINUTES ?? 6);
const KILLS = Number(process.env.SOAK_KILLS ?? 3);
const SEED = Number(process.env.SOAK_SEED ?? Date.now() % 2 ** 31);

const CREDENTIAL = 'Soak';
const ITEMS = 5;
const AT_ONCE = 6;
const HANGS = 3;
const TASK_MS = 2_000;
const RESULT_BYTES = 1_000;

/** A submission without an answer takes a minute, and its execution then waits for its other tasks. */
const PATIENCE_MS = 150_000;

const progress = terminalProgress();

interface Kill {
	/** Milliseconds since 1970. */
	at: number;
	running: number;
}

async function running(host: Host): Promise<string[]> {
	return (await host.executions({ status: ['running', 'new'] })).map(({ id }) => id);
}

async function buyAll(
	host: Host,
	sandbox: Sandbox,
	workflows: readonly SoakWorkflow[],
	random: Random,
	note: (text: string) => void,
) {
	const kills: Kill[] = [];
	const deadline = Date.now() + MINUTES * 60_000;
	let launches = 0;
	let stops = 0;
	let hangs = 0;
	const accepted = () => purchasesOf(sandbox).length;
	const start = async () => {
		const launch = `s${++launches}`;
		const workflow = workflows[random.below(workflows.length)];
		const markers = Array.from({ length: ITEMS }, (_, item) => `${launch}-${item}`);
		if (workflow) await host.api.raw.post(workflow.url, { markers });
	};
	for (let bought = 0; bought < PURCHASES && Date.now() < deadline; bought = accepted()) {
		note(
			`${bought} of ${PURCHASES} accepted, ${launches} executions, ${stops} stopped, ${kills.length} kills`,
		);
		const active = await running(host);
		if (kills.length < KILLS && bought >= (PURCHASES * (kills.length + 1)) / (KILLS + 1)) {
			kills.push({ at: Date.now(), running: active.length });
			await host.kill();
			await host.restart();
			continue;
		}
		if (random.chance(0.5)) addFault(sandbox, random);
		if (hangs < HANGS && bought > (PURCHASES * hangs) / (2 * HANGS)) {
			hangs += 1;
			addHang(sandbox, random);
		}
		const [victim] = active;
		if (victim !== undefined && random.chance(0.06)) {
			stops += 1;
			// It may have ended at this moment.
			await host.stopExecution(victim).catch(() => undefined);
		}
		if (active.length < AT_ONCE) await start();
		await delay(100 + random.below(400));
	}
	return { kills, launches, stops };
}

async function readExecutions(
	host: Host,
	workflows: readonly SoakWorkflow[],
	note: (text: string) => void,
): Promise<Execution[]> {
	const open = async () => {
		const { length } = await host.executions({ status: ['running', 'new', 'waiting'] });
		if (length > 0) note(`${length} executions have not ended`);
		return length;
	};
	await until(open, (count) => count === 0, PATIENCE_MS, 1_000);
	const found: Execution[] = [];
	for (const { id: workflowId } of workflows) {
		for (const { id } of await host.executions({ workflowId })) {
			// n8n has no data of an execution that a kill cut off.
			const execution = await host.execution(id).catch(() => undefined);
			if (execution) found.push(execution);
		}
	}
	return found;
}

const byStatus = (executions: readonly Execution[]) =>
	Object.entries(tally(executions.map(({ status }) => status)))
		.map(([status, count]) => `${status} ${count}`)
		.join(', ');

/** An answer takes milliseconds; n8n has its line in the log soon after. */
const AT_A_KILL_MS = 1_000;

/** The kill at which an unnamed purchase was in flight. */
const killOf = (kills: readonly Kill[], { at, answeredAt }: Purchase) =>
	kills.find((kill) => at < kill.at + AT_A_KILL_MS && answeredAt > kill.at - AT_A_KILL_MS);

/** How long before the next kill it was sent. */
function leadOf(kills: readonly Kill[], { at }: Purchase): string {
	const next = kills.find((kill) => kill.at > at);
	return next ? `sent ${next.at - at} ms before a kill` : 'sent after the last kill';
}

/** What n8n has of the purchases of items that were bought twice: the executions that name them, and the lines of the log. */
function accountsOf(
	twice: readonly string[],
	purchases: readonly Purchase[],
	executions: readonly Execution[],
	log: string,
): string[] {
	const texts = executions.map(({ id, status, runs, error }) => ({
		shown: `execution ${id}: ${status}`,
		text: JSON.stringify([runs, error]),
	}));
	const places = [...texts, ...log.split('\n').map((line) => ({ shown: line, text: line }))];
	return twice.flatMap((marker) => [
		`  bought twice: item ${marker}`,
		...purchases
			.filter((each) => each.marker === marker)
			.flatMap(({ taskId, at, answeredAt }) => [
				`    ${taskId}, sent ${new Date(at).toISOString()}, answered after ${answeredAt - at} ms`,
				...places.filter(({ text }) => text.includes(taskId)).map(({ shown }) => `      ${shown}`),
			]),
	]);
}

/** @returns whether every purchase is accounted for */
async function soak(version: HostVersion, tarball: string): Promise<boolean> {
	const random = new Random(SEED);
	const durations = { image: TASK_MS, music: TASK_MS, grid: TASK_MS, video: TASK_MS };
	const sandbox = await createSandbox({ allowPrivateCallbacks: true, seed: SEED, durations });
	const host = await startHost({ version, tarball, progress });
	try {
		sandbox.faults.add({
			match: { method: 'POST' },
			effect: { type: 'resultBytes', bytes: RESULT_BYTES },
			count: null,
		});
		await host.createCredential(credentialFor(sandbox, CREDENTIAL));
		const workflows = await soakWorkflows(host, sandbox, CREDENTIAL);
		const { kills, launches, stops } = await progress.step(
			`Buying ${PURCHASES} tasks on n8n ${version}, seed ${SEED}`,
			async (note) => await buyAll(host, sandbox, workflows, random, note),
			`${MINUTES} min at most`,
		);
		sandbox.faults.clear();
		const executions = await progress.step(
			'Waiting for the end',
			async (note) => await readExecutions(host, workflows, note),
			'1 min',
		);
		const seen = readAll(executions, host.log.text());
		const purchases = purchasesOf(sandbox);
		const endedAs = (end: End) => purchases.filter((purchase) => endOf(purchase, seen) === end);
		const unnamed = endedAs('unnamed');
		const outside = unnamed.filter((purchase) => !killOf(kills, purchase));
		const twice = boughtTwice(purchases, sandbox);
		const faults = sandbox.requests.list().filter(({ fault }) => fault !== null).length;
		const perKill = kills.map(
			(kill) => unnamed.filter((purchase) => killOf(kills, purchase) === kill).length,
		);
		const tooMany = kills.some(
			({ running: nodes }, at) => (perKill[at] ?? 0) > CONCURRENCY * nodes,
		);
		console.log(
			[
				`\nn8n ${version}, seed ${SEED}: ${launches} executions (${byStatus(executions)}), ${faults} requests with a fault, ${stops} stopped, ${kills.length} kills`,
				`  accepted      ${purchases.length}`,
				`  came out      ${endedAs('cameOut').length}`,
				`  named         ${endedAs('named').length}`,
				`  uncertain     ${endedAs('uncertain').length}`,
				`  unnamed       ${unnamed.length}, of them at a kill ${unnamed.length - outside.length} (per kill: ${kills.map((kill, at) => `${perKill[at]} with ${kill.running} nodes running`).join('; ')})`,
				`  bought twice  ${twice.length}`,
				...outside.map(
					(purchase) =>
						`  unnamed: ${purchase.taskId}, item ${purchase.marker}, ${leadOf(kills, purchase)}`,
				),
				...accountsOf(twice, purchases, executions, host.log.text()),
			].join('\n'),
		);
		return outside.length === 0 && twice.length === 0 && !tooMany && purchases.length > 0;
	} finally {
		await host.stop();
		await sandbox.close();
	}
}

async function main(): Promise<void> {
	const tarball = await packPackage({ progress });
	for (const version of parseHostVersions(process.env.N8N_HOSTS ?? '1.123,2.41')) {
		if (!(await soak(version, tarball))) process.exitCode = 1;
	}
}

main().catch((error: unknown) => {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
});
