import type { IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';

import { Memory } from '../shared/util/memory';
import { clock } from '../shared/util/clock';
import { KeyedLock } from '../shared/util/keyedLock';
import type { Settings } from './description';
import type { TriggerPayload } from './output';
import { type EventState, ProcessedTasks } from './processedTasks';
import { RequestBounds } from './requestBounds';
import { type ProcessRole, StartConfirmation } from './startConfirmation';
import type { FoundTask } from './verify';

/** n8n keeps the object in the workflow's row, under the node's name. */
type StaticDataHolder = Pick<IWebhookFunctions, 'getWorkflowStaticData'>;

const STATIC_DATA_KEY = 'processedTasks';

export class TriggerState {
	/** Calls for the same task run one after the other. */
	readonly lock = new KeyedLock();

	readonly bounds = new RequestBounds<FoundTask>();

	private readonly processed = new ProcessedTasks();

	private readonly starts: StartConfirmation;

	/** As the trigger was last set. */
	private windowHours = 24;

	constructor(role?: ProcessRole) {
		this.starts = new StartConfirmation(
			(key) => this.processed.note(key, 'started', clock.now()),
			role,
		);
	}

	/** Whether executions are known to run in this process, as they do outside of queue mode. */
	get runsExecutions(): boolean {
		return this.starts.role.runsExecutions;
	}

	/** What is known of an event. Waits for a start that is under way in this process, for as long as the service waits. */
	async stateOf(context: StaticDataHolder, key: string, windowHours: number): Promise<EventState> {
		this.windowHours = windowHours;
		this.read(context);
		await this.starts.settled(key);
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
		return await this.starts.begin(key);
	}

	/** Notes in the execution that it has started. Returns `false` if another execution has started for the same event. */
	confirm(
		context: StaticDataHolder,
		{ key, startId, storeForHours }: Pick<TriggerPayload, 'key' | 'startId' | 'storeForHours'>,
	): boolean {
		const confirmed = this.starts.confirm(key, startId);
		// n8n writes it at the execution's end, before the result: what has run to its end is remembered, whenever n8n is killed.
		if (confirmed === 'known') this.write(context);
		if (confirmed !== 'unknown') return confirmed === 'known';
		this.processed.note(key, 'started', clock.now());
		// An execution that n8n starts again after a crash has the static data from before the crash: it must not be stored now.
		if (storeForHours === undefined) return true;
		this.windowHours = storeForHours;
		this.read(context);
		this.write(context);
		return true;
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

/** The state of a trigger, made when it is first asked for. */
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
