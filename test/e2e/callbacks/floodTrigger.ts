import type { Host } from '../../../sandbox/host';
import type { Sandbox } from '../../../sandbox/service';
import { tally } from '../../support/tally';
import { type Recorded, whenOver } from './recorded';
import { type Figures, report } from './report';
import { answersOf, type createSender, type Sent } from './sender';
import { buyMany, recordOf } from './tasks';
import { activeTrigger } from './triggerWorkflow';

type Sender = ReturnType<typeof createSender>;

export interface FloodedTrigger {
	host: Host;
	sandbox: Sandbox;
	sender: Sender;
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

const copiesOf = (index: number) => 1 + (index % 3);

const atOnce = (index: number) => Math.floor(index / 3) % 2 === 0;

/**
 * Tasks that have ended, to be called back one to three times each: half of the duplicates at the same moment, half of them
 * each as soon as the one before it has been dealt with.
 */
async function prepareFlood(sandbox: Sandbox, sender: Sender, tasks: number) {
	const taskIds = await buyMany(sandbox, tasks);
	const bodies: unknown[] = [];
	for (const taskId of taskIds) bodies.push(await recordOf(sandbox, taskId));
	return {
		taskIds,
		/** Those of them that are called back more than once in the same moment. */
		simultaneous: new Set(taskIds.filter((_, index) => copiesOf(index) > 1 && atOnce(index))),
		/** How many callbacks it takes altogether. */
		size: taskIds.reduce((sum, _, index) => sum + copiesOf(index), 0),
		/** Sends them all, and gives what became of each. `onAccepted` is told how many have been accepted so far. */
		async run(url: string, onAccepted: (accepted: number) => void) {
			let accepted = 0;
			async function push(index: number): Promise<Sent> {
				const sent = await sender.send(url, taskIds[index] ?? '', bodies[index]);
				if (sent.accepted) onAccepted((accepted += 1));
				return sent;
			}
			async function pushCopies(index: number): Promise<Sent[]> {
				const copies = Array.from({ length: copiesOf(index) });
				if (atOnce(index)) return await Promise.all(copies.map(() => push(index)));
				const sent: Sent[] = [];
				for (const _ of copies) sent.push(await push(index));
				return sent;
			}
			return (await Promise.all(taskIds.map((_, index) => pushCopies(index)))).flat();
		},
	};
}

/** Floods a new trigger with callbacks, kills n8n on the way if told so, and prints what became of each task. */
export async function floodTrigger(
	title: string,
	{ host, sandbox, sender, credential, tasks, parameters }: FloodedTrigger,
	{ kill, address = (url) => url, patienceMs = 120_000 }: Partial<KillOptions> = {},
): Promise<Outcome> {
	const workflow = await activeTrigger(host, credential, parameters);
	const flood = await prepareFlood(sandbox, sender, tasks);
	const began = Date.now();
	let killedAt = Infinity;
	let back: Promise<void> | undefined;
	const sent = await flood.run(address(workflow.url), (accepted) => {
		if (!kill || back || accepted < flood.size * 0.4) return;
		killedAt = Date.now();
		back = kill();
	});
	await back;
	const seconds = (Date.now() - began) / 1_000;
	const executions = await whenOver(host, workflow.id, patienceMs);
	const begun = executions.filter(({ startedAt }) => startedAt !== null);
	const starts = tally(begun.flatMap(({ taskIds }) => taskIds));
	const missing = flood.taskIds.filter((taskId) => !starts[taskId]);
	const doubled = flood.taskIds.filter((taskId) => (starts[taskId] ?? 0) > 1);
	const doubledInSequence = doubled.filter((taskId) => !flood.simultaneous.has(taskId));
	const ended = executions.filter(({ status }) => status === 'success');
	const ends = tally(ended.flatMap(({ taskIds }) => taskIds));
	const endedTwice = doubled.filter((taskId) => (ends[taskId] ?? 0) > 1);
	const turnedAway = new Set(sent.filter(answeredWhileStarting).map(({ taskId }) => taskId));
	const leads = leadsOf(sent, doubled, killedAt);
	const excused = missing.filter((taskId) => turnedAway.has(taskId));
	const crashed = executions.filter(({ status }) => status === 'crashed');
	const ofTheKill: Figures = {
		'of the doubled, run to the end more than once': endedTwice.length,
		'of the missing, turned away by a starting n8n': excused.length,
		'of the doubled, first answered before the kill, at most (ms)': Math.max(0, ...leads),
		'executions cut off by the kill': crashed.length,
		'written but never begun': executions.length - begun.length,
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
