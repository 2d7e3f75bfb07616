import { clock, pause } from '../shared/transport/clock';
import { SeenTasks } from './seenTasks';

/** What this process keeps for one trigger of one workflow. */
export interface TriggerMemory {
	seen: SeenTasks;
	/** Runs a job after all earlier ones for the same task. */
	inTurn<Result>(key: string, job: () => Promise<Result>): Promise<Result>;
	/** Resolves once the execution for the task runs, or is taken to. */
	started(key: string): Promise<void>;
	/** Resolves when no start of an execution for the task is under way in this process. */
	pending(key: string): Promise<void>;
	/** Notes that the execution for the task runs. */
	confirm(key: string): void;
}

/** Longest wait for a sign of the execution, in milliseconds; the service waits ten seconds for an answer. */
const PATIENCE_MS = 3_000;
/** The wait where executions run in another process, so that no sign ever comes. */
const BLIND_MS = 300;
const BLIND_AFTER = 3;

/** How often a sign failed to come since the last one that did: workers of n8n's queue mode give none. */
let missed = 0;

function newMemory(): TriggerMemory {
	const seen = new SeenTasks();
	const turns = new Map<string, Promise<unknown>>();
	const signs = new Map<string, () => void>();
	const starts = new Map<string, Promise<void>>();

	async function waitForSign(key: string): Promise<void> {
		let signalled = false;
		const sign = new Promise<void>((resolve) => {
			signs.set(key, () => {
				signalled = true;
				resolve();
			});
		});
		const patience = new AbortController();
		await Promise.race([sign, pause(missed >= BLIND_AFTER ? BLIND_MS : PATIENCE_MS, patience.signal)]);
		patience.abort();
		signs.delete(key);
		missed = signalled ? 0 : missed + 1;
		seen.note(key, 'started', clock.now());
	}

	return {
		seen,
		async inTurn(key, job) {
			const before = turns.get(key) ?? Promise.resolve();
			const turn = before.then(job, job);
			const settled = turn.catch(() => undefined);
			turns.set(key, settled);
			try {
				return await turn;
			} finally {
				if (turns.get(key) === settled) turns.delete(key);
			}
		},
		async started(key) {
			const start = waitForSign(key).finally(() => starts.delete(key));
			starts.set(key, start);
			await start;
		},
		async pending(key) {
			await starts.get(key);
		},
		confirm(key) {
			signs.get(key)?.();
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
