import type { Host } from '../../../sandbox/host';
import type { Sandbox } from '../../../sandbox/service';
import { prepareFlood } from './flood';
import { endsByTask, type Recorded, startsByTask, whenOver } from './recorded';
import { type Figures, report } from './report';
import { answersOf, type createSender, type Sent } from './sender';
import { activeTrigger } from './triggerWorkflow';

export interface FloodedTrigger {
	host: Host;
	sandbox: Sandbox;
	sender: ReturnType<typeof createSender>;
	/** Of the credential. */
	credential: string;
	tasks: number;
	/** Of the trigger; it downloads no files by default. */
	parameters?: object;
}

export interface KillOptions {
	/** What ends n8n, or a part of it, and brings it back; called once, in the middle of the flood. */
	kill: () => Promise<void>;
	/** The address that the service calls, made of the trigger's own. */
	address?: (url: string) => string;
	/** Milliseconds to wait for the executions to end; n8n leaves some that a kill cut off as running. */
	patienceMs?: number;
}

/** What became of the tasks. */
export interface Outcome {
	sent: Sent[];
	executions: Recorded[];
	/** Tasks without an execution. */
	missing: string[];
	/** Tasks with more than one. */
	doubled: string[];
	/** Those of the doubled that were not called back twice in the same moment. */
	doubledInSequence: string[];
	/** Those whose callback a starting n8n has answered by itself, in a way that the service does not repeat. */
	turnedAway: Set<string>;
	/** Tasks with more than one execution that ran to its end. */
	endedTwice: string[];
}

/**
 * n8n listens before it knows any webhook: for some seconds it answers 404, or even 200, by itself, and the service
 * repeats neither. No node can help that; `docs/callbacks.md` says what can.
 */
export const answeredWhileStarting = ({ tries }: Sent) => {
	const last = tries.at(-1);
	return last?.status !== undefined && last.status < 500 && !last.message.startsWith('Received');
};

const taskIdsWhere = (starts: Map<string, number>, wanted: (count: number) => boolean) =>
	[...starts].filter(([, count]) => wanted(count)).map(([taskId]) => taskId);

const triesOf = (sent: readonly Sent[], taskId: string) =>
	sent.filter((each) => each.taskId === taskId).flatMap(({ tries }) => tries);

function leadsOf(sent: readonly Sent[], taskIds: readonly string[], killedAt: number): number[] {
	return taskIds.map((taskId) => {
		const answered = triesOf(sent, taskId).filter(({ status = 500 }) => status < 300);
		return killedAt - Math.min(...answered.map(({ endedAt }) => endedAt));
	});
}

/** Tells what became of each try to call a task back: without a kill, each doubled one of them wants an explanation. */
function historyOf(taskId: string, sent: readonly Sent[], began: number): string {
	const told = triesOf(sent, taskId).map(
		({ at, endedAt, status = 'no answer', message }) =>
			`${at - began} to ${endedAt - began} ms: ${status} ${message}`,
	);
	return [`${taskId} started more than one execution:`, ...told].join('\n  ');
}

/** Floods a new trigger with callbacks, kills n8n on the way if told so, and prints what became of each task. */
export async function floodTrigger(
	title: string,
	{ host, sandbox, sender, credential, tasks, parameters }: FloodedTrigger,
	{ kill, address = (url) => url, patienceMs = 120_000 }: Partial<KillOptions> = {},
): Promise<Outcome> {
	const workflow = await activeTrigger(host, credential, parameters);
	const flood = await prepareFlood(sandbox, tasks);
	const began = Date.now();
	let killedAt = Infinity;
	let back: Promise<void> | undefined;
	const sent = await flood.run(address(workflow.url), sender, (accepted) => {
		if (!kill || back || accepted < flood.size * 0.4) return;
		killedAt = Date.now();
		back = kill();
	});
	await back;
	const seconds = (Date.now() - began) / 1_000;
	const executions = await whenOver(host, workflow.id, patienceMs);
	const starts = startsByTask(executions, flood.taskIds);
	const missing = taskIdsWhere(starts, (count) => count === 0);
	const doubled = taskIdsWhere(starts, (count) => count > 1);
	const doubledInSequence = doubled.filter((taskId) => !flood.simultaneous.has(taskId));
	const turnedAway = new Set(sent.filter(answeredWhileStarting).map(({ taskId }) => taskId));
	const leads = leadsOf(sent, doubled, killedAt);

	const endedTwice = taskIdsWhere(endsByTask(executions, doubled), (count) => count > 1);
	const ofTheKill: Figures = {
		'of the doubled, run to the end more than once': endedTwice.length,
		'of the missing, turned away by a starting n8n': missing.filter((taskId) =>
			turnedAway.has(taskId),
		).length,
		'of the doubled, first answered before the kill, at most (ms)': Math.max(0, ...leads),
		'executions cut off by the kill': executions.filter(({ status }) => status === 'crashed')
			.length,
		'written but never begun': executions.filter(({ startedAt }) => startedAt === null).length,
	};
	report(title, {
		tasks,
		callbacks: flood.size,
		answers: JSON.stringify(answersOf(sent)),
		missing: missing.length,
		doubled: doubled.length,
		'of the doubled, not called back in the same moment': doubledInSequence.length,
		seconds: seconds.toFixed(1),
		...(kill ? ofTheKill : {}),
	});
	if (!kill)
		for (const taskId of doubledInSequence)
			process.stdout.write(`${historyOf(taskId, sent, began)}\n`);
	else if (doubled.length > 0)
		process.stdout.write(`Run again after the kill: ${doubled.join(', ')}\n`);
	if (kill && !back) throw new Error('The flood was over before the kill.');
	return { sent, executions, missing, doubled, doubledInSequence, turnedAway, endedTwice };
}
