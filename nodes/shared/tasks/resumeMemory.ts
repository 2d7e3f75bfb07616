import { createHash } from 'crypto';

import type { Outcome } from './outcome';

/** What this process has learnt of one parked execution. */
export interface ResumeMemory {
	/** Tasks known to have ended, by id. */
	ended: Map<string, Outcome>;
	resumed: boolean;
	/** Runs a job after all earlier ones for the same execution. */
	inTurn<Result>(job: () => Promise<Result>): Promise<Result>;
}

const MOST_EXECUTIONS = 5_000;

const memories = new Map<string, ResumeMemory>();

function newMemory(): ResumeMemory {
	let last: Promise<unknown> = Promise.resolve();
	return {
		ended: new Map(),
		resumed: false,
		async inTurn(job) {
			const turn = last.then(job, job);
			last = turn.catch(() => undefined);
			return await turn;
		},
	};
}

/**
 * The memory of an execution that waits for the given tasks. It only saves look-ups and settles who resumes when two
 * callbacks come at once: without it, after a restart or in another process, the service is asked again.
 */
export function resumeMemory(executionId: string, taskIds: readonly string[]): ResumeMemory {
	const tasks = createHash('sha256').update(taskIds.join('\n')).digest('hex').slice(0, 16);
	const key = `${executionId}:${tasks}`;
	const memory = memories.get(key) ?? newMemory();
	// Re-inserting keeps the map in the order of use, so that the oldest is the first to go.
	memories.delete(key);
	memories.set(key, memory);
	const [oldest] = memories.keys();
	if (memories.size > MOST_EXECUTIONS && oldest !== undefined) memories.delete(oldest);
	return memory;
}
