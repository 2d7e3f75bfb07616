import type { IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';

import { inTimeToAnswer } from '../shared/callbacks/callback';
import type { KnownTask } from '../shared/tasks/poll';
import { clock, HOUR_MS } from '../shared/util/clock';
import { KeyedLock } from '../shared/util/keyedLock';
import { Memory } from '../shared/util/memory';
import type { Settings } from './description';
import type { TriggerPayload } from './output';
import { type EventState, ProcessedTasks } from './processedTasks';
import { RequestBounds } from './requestBounds';
import type { FoundTask, TaskReport } from './verify';

/** n8n keeps the object in the workflow's row, under the node's name. */
type StaticDataHolder = Pick<IWebhookFunctions, 'getWorkflowStaticData'>;

const STATIC_DATA_KEY = 'processedTasks';

/** Milliseconds to wait for a start in queue mode, where executions start in other processes and confirm nothing here. */
const QUEUE_MODE_START_WITHIN_MS = 1_000;

/** Starts without a confirmation after which this counts as queue mode. */
const QUEUE_MODE_AFTER = 3;

/** In queue mode, milliseconds after which n8n has certainly queued what it was given, unless it was killed: a busy n8n takes seconds to write an execution. */
const QUEUED_AFTER_MS = 30_000;

/** How long a start without a confirmation is remembered, and what is known of a task, in milliseconds. */
const REMEMBERED_MS = HOUR_MS;

const MOST_STARTED = 20_000;

const MOST_KNOWN = 5_000;

/** Whether this process runs executions. One confirmation proves it; their absence only suggests queue mode: a busy n8n is late too. */
export interface ProcessRole {
	runsExecutions: boolean;
	unconfirmed: number;
}

const thisProcess: ProcessRole = { runsExecutions: false, unconfirmed: 0 };

/** A start that this process began and that no execution has confirmed. */
interface Start {
	since: number;
	inTime: Promise<boolean>;
	confirm(): void;
}

/** Connects a call with the execution that it starts, so that the service is answered when the execution runs, and no task starts twice. */
export class TriggerState {
	/** Calls for the same task run one after the other. */
	readonly lock = new KeyedLock();

	readonly bounds = new RequestBounds<FoundTask>();

	/** Completed tasks whose result, or a part of it, was still to come, by id. */
	readonly known = new Memory<KnownTask<TaskReport>>(MOST_KNOWN, REMEMBERED_MS);

	private readonly processed = new ProcessedTasks();

	/** In the order in which they began. */
	private readonly starts = new Map<string, Start>();

	/** The executions that started, by event. A repeated call in doubt may have begun another one, which may wait for n8n's concurrency limit for hours. */
	private readonly startedBy = new Memory<string>(MOST_STARTED);

	/** As the trigger was last set. */
	private windowHours = 24;

	constructor(private readonly role = thisProcess) {}

	/** Whether executions are known to run in this process, as they do outside of queue mode. */
	get runsExecutions(): boolean {
		return this.role.runsExecutions;
	}

	/** What is known of an event. Waits for a start that is under way in this process, for as long as the service waits. */
	async stateOf(context: StaticDataHolder, key: string, windowHours: number): Promise<EventState> {
		this.windowHours = windowHours;
		this.read(context);
		this.expire();
		await this.starts.get(key)?.inTime;
		// Other processes that serve the trigger know only what is stored.
		if (this.processed.isUnstored && !this.runsExecutions) this.write(context);
		return this.processed.stateOf(key, windowHours, clock.now());
	}

	/** Notes that an execution is about to start. Returns whether it has, after at most as long as the service waits. */
	async begin(
		context: StaticDataHolder,
		key: string,
		{ repeatInDoubt }: Pick<Settings, 'repeatInDoubt'>,
	): Promise<boolean> {
		this.processed.note(key, 'starting', clock.now());
		// In queue mode other processes need it. Otherwise only a restart after a kill does, and not if it repeats starts in doubt.
		if (!this.runsExecutions || !repeatInDoubt) this.write(context);
		this.expire();
		this.startedBy.delete(key);
		let confirm = (): void => undefined;
		const started = new Promise<void>((resolve) => (confirm = resolve));
		const isQueueMode = !this.runsExecutions && this.role.unconfirmed >= QUEUE_MODE_AFTER;
		const inTime = inTimeToAnswer(started, isQueueMode ? QUEUE_MODE_START_WITHIN_MS : undefined);
		this.starts.delete(key);
		this.starts.set(key, { since: clock.now(), inTime, confirm });
		const isInTime = await inTime;
		if (!isInTime) this.role.unconfirmed += 1;
		return isInTime;
	}

	/** Notes in the execution that it has started. Returns `false` if another execution has started for the same event. */
	confirm(
		context: StaticDataHolder,
		{ key, startId, storeForHours }: Pick<TriggerPayload, 'key' | 'startId' | 'storeForHours'>,
	): boolean {
		// "Retry On Fail" runs the node again in the same execution.
		if ((this.startedBy.get(key) ?? startId) !== startId) return false;
		this.startedBy.set(key, startId);
		this.processed.note(key, 'started', clock.now());
		const start = this.starts.get(key);
		if (start) {
			this.role.runsExecutions = true;
			start.confirm();
			this.starts.delete(key);
			// n8n writes it at the execution's end, before the result: what has run to its end is remembered, whenever n8n is killed.
			this.write(context);
		} else if (storeForHours !== undefined) {
			// Not for an execution that n8n starts again after a crash: it has the static data from before the crash.
			this.windowHours = storeForHours;
			this.read(context);
			this.write(context);
		}
		return true;
	}

	/** Forgets old starts. In queue mode, counts as started those that n8n has certainly queued. */
	private expire(): void {
		for (const [key, { since }] of this.starts) {
			const age = clock.now() - since;
			const isQueued = !this.runsExecutions && age > QUEUED_AFTER_MS;
			if (!isQueued && age <= REMEMBERED_MS) return;
			this.starts.delete(key);
			if (isQueued) this.processed.note(key, 'started', clock.now());
		}
	}

	private read(context: StaticDataHolder): void {
		this.processed.merge(context.getWorkflowStaticData('node')[STATIC_DATA_KEY]);
	}

	/** n8n writes the value later, and more may be known by then: it becomes text only when it is written. */
	private write(context: StaticDataHolder): void {
		const latest = { toJSON: () => this.processed.toText(this.windowHours, clock.now()) };
		context.getWorkflowStaticData('node')[STATIC_DATA_KEY] = latest;
	}
}

/** If a trigger is forgotten, its static data still has what its executions stored. */
const MOST_TRIGGERS = 1_000;

const states = new Memory<TriggerState>(MOST_TRIGGERS);

export function triggerState(
	context: Pick<IWebhookFunctions, 'getWorkflow' | 'getNode'>,
): TriggerState {
	const key = `${context.getWorkflow().id ?? ''}:${context.getNode().id}`;
	const state = states.get(key) ?? new TriggerState();
	states.set(key, state);
	return state;
}

/** Confirms to the waiting call that its execution has started. Returns `false` if another one has started for the same event. */
export function confirmStart(context: IExecuteFunctions, payload: TriggerPayload): boolean {
	// A test, or an old execution that is run again, has no call that waits.
	if (context.getMode() !== 'webhook' || triggerState(context).confirm(context, payload))
		return true;
	context.logger.info(
		`MediaGen Trigger: another execution has started for task ${payload.taskId}: this one does nothing`,
	);
	return false;
}
