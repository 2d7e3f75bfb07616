import { clock, sleep } from '../shared/util/clock';
import { KeyedLock } from '../shared/util/keyedLock';
import { SeenTasks } from './seenTasks';

/** What this process keeps for one trigger of one workflow. */
export interface TriggerMemory {
	seen: SeenTasks;
	/** Hours for which a task is remembered, as the trigger was last set. */
	windowHours: number;
	/** Runs a job after all earlier ones for the same task. */
	inTurn<Result>(key: string, job: () => Promise<Result>): Promise<Result>;
	/**
	 * To be called when an execution is about to start for the task. Gives whether it is certain to run; waits for that
	 * as long as the service waits for an answer.
	 */
	starting(key: string): Promise<boolean>;
	/** Whether the start of an execution for the task, under way in this process, is certain by now; `true` if there is none. */
	settled(key: string): Promise<boolean>;
	/** Notes that the execution for the task runs. Gives whether this process was waiting for it. */
	confirm(key: string): boolean;
	/**
	 * Whether what is known is to be stored now: in a burst only now and then, for a write costs n8n as much as a part of
	 * an execution, and always after it. Calls and executions are counted apart: what an execution stores is written at
	 * its end, whenever that is.
	 */
	isDueToStore(occasion: 'call' | 'execution'): boolean;
}

/** Longest wait for a sign of the execution, in milliseconds; the service waits about ten seconds (spec, Events 5). */
const PATIENCE_MS = 8_000;
/** The wait where executions run in another process, so that hardly a sign will come. */
const BLIND_MS = 1_000;
/**
 * There, n8n has surely handed over what it was given this long ago, in milliseconds, if this process still lives. Before
 * that only a worker's word counts: a busy n8n takes seconds to write an execution, and one that is killed never does.
 */
const HANDED_OVER_MS = 30_000;
const BLIND_AFTER = 3;
/** Time between two writes of a kind in a burst, in milliseconds: what a kill makes n8n forget. */
const STORE_EVERY_MS = 100;
/** After this a start that never gave a sign counts as one that a stop of n8n has cut off. */
const FORGET_MS = 600_000;

/**
 * Whether this process runs executions by itself. Workers of n8n's queue mode give no sign, and the webhook process
 * learns it from nothing else. One sign is proof; their absence is only a guess, for a busy n8n is late as well.
 */
const signs = { seen: false, missed: 0 };

/** Whether an execution has been seen to run in this process. */
export function executionsRunHere(): boolean {
	return signs.seen;
}

interface Start {
	since: number;
	certain: Promise<boolean>;
	confirm(): void;
}

function newMemory(): TriggerMemory {
	const seen = new SeenTasks();
	const lock = new KeyedLock();
	const starts = new Map<string, Start>();
	const storedAt = { call: 0, execution: 0 };

	function isStarted(key: string): void {
		seen.note(key, 'started', clock.now());
		starts.delete(key);
	}

	function settleHandedOver(): void {
		if (signs.seen) return;
		for (const [key, { since }] of starts) if (clock.now() - since > HANDED_OVER_MS) isStarted(key);
	}

	async function waitForSign(sign: Promise<boolean>): Promise<boolean> {
		const blind = !signs.seen && signs.missed >= BLIND_AFTER;
		const patience = new AbortController();
		const late = sleep(blind ? BLIND_MS : PATIENCE_MS, patience.signal).then(() => false);
		const came = await Promise.race([sign, late]);
		patience.abort();
		if (came) return true;
		signs.missed += 1;
		return false;
	}

	function begin(key: string): Start {
		let confirm = (): void => undefined;
		const sign = new Promise<boolean>((resolve) => {
			confirm = () => {
				signs.seen = true;
				isStarted(key);
				resolve(true);
			};
		});
		return { since: clock.now(), certain: waitForSign(sign), confirm };
	}

	return {
		seen,
		windowHours: 24,
		inTurn: async (key, job) => await lock.run(key, job),
		async starting(key) {
			const start = begin(key);
			starts.set(key, start);
			return await start.certain;
		},
		async settled(key) {
			settleHandedOver();
			const start = starts.get(key);
			if (!start || (await start.certain)) return true;
			if (seen.stateOf(key) === 'started') {
				starts.delete(key);
				return true;
			}
			// The sign may have come after the service had been told to call again.
			const open = starts.get(key);
			if (open && clock.now() - open.since > FORGET_MS) starts.delete(key);
			return !starts.has(key);
		},
		confirm(key) {
			const start = starts.get(key);
			start?.confirm();
			return start !== undefined;
		},
		isDueToStore(occasion) {
			// Without signs other processes go by what is stored, at once.
			if (signs.seen && starts.size > 0 && clock.now() - storedAt[occasion] < STORE_EVERY_MS) return false;
			storedAt[occasion] = clock.now();
			return true;
		},
	};
}

const memories = new Map<string, TriggerMemory>();

/** The memory of a trigger, made when it is first asked for. */
export function triggerMemory(workflowId: string, nodeId: string): TriggerMemory {
	const key = `${workflowId}:${nodeId}`;
	const memory = memories.get(key) ?? newMemory();
	memories.set(key, memory);
	return memory;
}
