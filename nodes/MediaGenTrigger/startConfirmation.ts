import { inTimeToAnswer } from '../shared/callbacks/callback';
import { clock, HOUR_MS } from '../shared/util/clock';
import { Memory } from '../shared/util/memory';

/** Milliseconds to wait for a start in queue mode, where executions start in other processes and confirm nothing here. */
const QUEUE_MODE_START_WITHIN_MS = 1_000;

/** Starts without a confirmation after which this counts as queue mode. */
const QUEUE_MODE_AFTER = 3;

/**
 * In queue mode, milliseconds after which n8n has certainly queued what it was given, if this process still runs. Before that, only a
 * worker's confirmation counts: a busy n8n takes seconds to write an execution, and one that is killed never does.
 */
const QUEUED_AFTER_MS = 30_000;

/** How long a start is remembered, in milliseconds, before and after its confirmation. It may wait for n8n's concurrency limit. */
const REMEMBERED_MS = HOUR_MS;

const MOST_STARTED = 20_000;

/**
 * Whether this process runs executions. n8n does not say. One confirmation proves it; their absence only suggests queue mode, because a
 * busy n8n is late too.
 */
export interface ProcessRole {
	runsExecutions: boolean;
	/** Starts that were not confirmed in time. */
	unconfirmed: number;
}

const thisProcess: ProcessRole = { runsExecutions: false, unconfirmed: 0 };

interface Start {
	since: number;
	/** Whether the execution started in time. */
	inTime: Promise<boolean>;
	confirm(): void;
}

/** Connects a call with the execution that it starts, so that the service is answered when the execution runs. */
export class StartConfirmation {
	/** In the order in which they began. */
	private readonly starts = new Map<string, Start>();

	/** The executions that started, by event. A repeated call in doubt may have begun another one, which n8n may have queued. */
	private readonly startedBy = new Memory<string>(MOST_STARTED, REMEMBERED_MS);

	constructor(
		private readonly onStarted: (key: string) => void,
		readonly role = thisProcess,
	) {}

	/** To be called when an execution is about to start. Returns whether it started in time. */
	async begin(key: string): Promise<boolean> {
		this.expire();
		this.startedBy.delete(key);
		let confirm = (): void => undefined;
		const started = new Promise<void>((resolve) => (confirm = resolve));
		this.starts.delete(key);
		const isQueueMode = !this.role.runsExecutions && this.role.unconfirmed >= QUEUE_MODE_AFTER;
		const within = isQueueMode ? QUEUE_MODE_START_WITHIN_MS : undefined;
		const inTime = inTimeToAnswer(started, within);
		this.starts.set(key, { since: clock.now(), inTime, confirm });
		const isInTime = await inTime;
		if (!isInTime) this.role.unconfirmed += 1;
		return isInTime;
	}

	/** Waits until a start that is under way in this process is confirmed or late. */
	async settled(key: string): Promise<void> {
		this.expire();
		await this.starts.get(key)?.inTime;
	}

	/**
	 * To be called by an execution when it starts. `known`: this process began the start. `repeated`: another execution has started
	 * for the same event. `unknown`: another process, or an earlier one, began it.
	 */
	confirm(key: string, startId: string): 'known' | 'repeated' | 'unknown' {
		// "Retry On Fail" runs the node again in the same execution.
		if ((this.startedBy.get(key) ?? startId) !== startId) return 'repeated';
		this.startedBy.set(key, startId);
		const start = this.starts.get(key);
		if (!start) return 'unknown';
		this.role.runsExecutions = true;
		this.onStarted(key);
		start.confirm();
		this.starts.delete(key);
		return 'known';
	}

	/** Forgets old starts. In queue mode, counts as started those that n8n has certainly queued. */
	private expire(): void {
		for (const [key, { since }] of this.starts) {
			const age = clock.now() - since;
			const isQueued = !this.role.runsExecutions && age > QUEUED_AFTER_MS;
			if (!isQueued && age <= REMEMBERED_MS) return;
			this.starts.delete(key);
			if (isQueued) this.onStarted(key);
		}
	}
}
