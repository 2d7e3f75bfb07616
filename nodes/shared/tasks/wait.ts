import type { ServiceFault } from '../api/faults';
import type { TaskRecord } from '../api/records';
import { hasEnded, toTaskStatus } from '../api/status';
import { clock, pause } from '../transport/clock';
import { isPassing } from '../transport/retry';

/** How one wait came to its end. `record` is the last one read, if any was. */
export type WaitEnd =
	| { reason: 'ended'; record: TaskRecord }
	| { reason: 'timeout'; record?: TaskRecord }
	| { reason: 'cancelled'; record?: TaskRecord }
	| { reason: 'fault'; fault: ServiceFault; record?: TaskRecord };

export interface WaitRules {
	/** Milliseconds between two looks. */
	intervalMs: number;
	/** Milliseconds since 1970 at which waiting stops. */
	deadline: number;
	signal?: AbortSignal;
}

const FIRST_LOOK_MS = 1_000;

/** Reads a task's record once. A fault is given back, not thrown. */
export type Look = () => Promise<TaskRecord | ServiceFault>;

function isFault(answer: TaskRecord | ServiceFault): answer is ServiceFault {
	return answer instanceof Error;
}

/**
 * Looks at a task until it has ended: first after about a second, then every `intervalMs`. What passes by itself
 * (429, 5xx, a broken connection) costs one look, never the task.
 */
export async function waitForTask(look: Look, rules: WaitRules): Promise<WaitEnd> {
	let record: TaskRecord | undefined;
	let nextIn = Math.min(FIRST_LOOK_MS, rules.intervalMs);
	for (;;) {
		await pause(Math.min(nextIn, rules.deadline - clock.now()), rules.signal);
		if (rules.signal?.aborted) return { reason: 'cancelled', record };
		const answer = await look();
		nextIn = rules.intervalMs;
		if (!isFault(answer)) {
			record = answer;
			if (hasEnded(toTaskStatus(record.status))) return { reason: 'ended', record };
		} else if (answer.kind === 'cancelled') {
			return { reason: 'cancelled', record };
		} else if (isPassing(answer)) {
			nextIn = Math.max(nextIn, answer.details.retryAfterMs ?? 0);
		} else {
			return { reason: 'fault', fault: answer, record };
		}
		if (clock.now() >= rules.deadline) return { reason: 'timeout', record };
	}
}
