import type { ServiceFault } from '../api/faults';
import type { TaskRecord } from '../api/records';
import { hasEnded, toTaskStatus } from '../api/status';
import { clock, pause } from '../util/clock';
import { isPassing } from '../api/retry';

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

/** The service tells whole seconds: a look right at the end that it expects would often be a moment too early. */
const ESTIMATE_MARGIN_MS = 250;

/** By how much of an interval a look is put off to meet the expected end, rather than looking twice in short order. */
const PUT_OFF = 0.25;

/** Reads a task's record once. A fault is given back, not thrown. */
export type Look = () => Promise<TaskRecord | ServiceFault>;

function isFault(answer: TaskRecord | ServiceFault): answer is ServiceFault {
	return answer instanceof Error;
}

/**
 * Milliseconds to the next look: the interval, or less, or a little more, where the service expects the task to end about
 * then. Its `estimated_time` counts from the submission, of which this wait knows no more than that it came before `began`.
 */
function untilNextLook(record: TaskRecord, began: number, intervalMs: number): number {
	if (typeof record.estimated_time !== 'number') return intervalMs;
	const expectedIn = began + record.estimated_time * 1_000 + ESTIMATE_MARGIN_MS - clock.now();
	return expectedIn > 0 && expectedIn < intervalMs * (1 + PUT_OFF) ? expectedIn : intervalMs;
}

/**
 * Looks at a task until it has ended: first after about a second, then every `intervalMs`, and when the service expects
 * the end. What passes by itself (429, 5xx, a broken connection) costs one look, never the task.
 */
export async function waitForTask(look: Look, rules: WaitRules): Promise<WaitEnd> {
	const began = clock.now();
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
			nextIn = untilNextLook(record, began, rules.intervalMs);
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
