import type { IDataObject } from 'n8n-workflow';

import { hasEnded } from '../api/records';
import { addToCustomData, type CustomDataContext } from '../n8n/customData';
import { isObject } from '../util/json';
import { costTotals } from './cost';
import { type AcceptedOutcome, isAccepted, type TaskOutcome } from './items';

/** n8n keeps the object with the execution's own data, and all of its nodes share it. */
interface CostContext extends CustomDataContext {
	getContext(type: 'flow'): IDataObject;
	getInputData(): Array<{ json: IDataObject }>;
}

/**
 * How far a task is counted.
 * - `bought`: as a task; its cost is not known yet
 * - `waiting`: as a task; the callback that resumes the execution counts its cost
 * - `ended`: with its cost
 */
type Counted = 'bought' | 'waiting' | 'ended';

const COUNTED = 'mediaGenCounted';
const COUNTED_BEFORE = 'mediaGenCountedBefore';
const COUNT = 'mediaGenCount';

/** Of as many tasks, and up to as many before them, it is known that they are counted. */
const REMEMBERED = 5_000;

/** Each step takes constant time, and the execution's data stays bounded. */
class CountedTasks {
	constructor(private readonly context: IDataObject) {}

	get(taskId: string): Counted | undefined {
		const state = this.part(COUNTED)[taskId] ?? this.part(COUNTED_BEFORE)[taskId];
		return state === 'bought' || state === 'waiting' || state === 'ended' ? state : undefined;
	}

	set(taskId: string, state: Counted): void {
		const count = Number(this.context[COUNT] ?? 0);
		if (count >= REMEMBERED) {
			this.context[COUNTED_BEFORE] = this.part(COUNTED);
			this.context[COUNTED] = {};
		}
		this.part(COUNTED)[taskId] = state;
		this.context[COUNT] = count >= REMEMBERED ? 1 : count + 1;
	}

	private part(name: string): Record<string, unknown> {
		const known = this.context[name];
		if (isObject(known)) return known;
		const created: IDataObject = {};
		this.context[name] = created;
		return created;
	}
}

const isFinal = ({ record, task }: AcceptedOutcome) => record !== undefined && hasEnded(task.status);

function addCost(context: CustomDataContext, newTasks: number, ended: readonly AcceptedOutcome[]): void {
	if (newTasks === 0 && ended.length === 0) return;
	// The service refunds a failed task.
	const { cost, credits, unpriced } = costTotals(ended.map(({ task }) => task).filter(({ status }) => status === 'completed'));
	addToCustomData(context, {
		mediagen_tasks: newTasks,
		mediagen_cost: cost,
		mediagen_credits: credits,
		mediagen_unpriced: unpriced,
	});
}

/** Whether the pause that waited for a task ended at its time limit: then no callback has counted it. */
function timedOut(context: CostContext, { itemIndex, taskId }: AcceptedOutcome): boolean {
	const json = context.getInputData()[itemIndex]?.json;
	return json?.taskId === taskId && json.status === 'submitted';
}

/**
 * Adds tasks to the custom data of the execution (design, Cost): each task once, and its cost when its final record is read.
 *
 * @param how `bought` here, only `read`, or bought and now `waiting` for a callback
 */
export function countCost(context: CostContext, outcomes: readonly TaskOutcome[], how: 'bought' | 'read' | 'waiting'): void {
	const counted = new CountedTasks(context.getContext('flow'));
	let newTasks = 0;
	const ended: AcceptedOutcome[] = [];
	for (const outcome of outcomes.filter(isAccepted)) {
		const { taskId } = outcome;
		const before = counted.get(taskId);
		const final = isFinal(outcome);
		if (before === 'ended' || (how === 'read' && !final)) continue;
		if (before === undefined) newTasks++;
		if (final && (before !== 'waiting' || timedOut(context, outcome))) ended.push(outcome);
		const after = final ? 'ended' : how === 'waiting' ? 'waiting' : 'bought';
		if (after !== before) counted.set(taskId, after);
	}
	addCost(context, newTasks, ended);
}

/**
 * Adds the cost of the tasks that a pause waited for. A webhook's context reaches the custom data, but not what the nodes of the
 * execution remember, so the waiting items tell which tasks were counted before the pause.
 */
export function countResumedCost(context: CustomDataContext, waiting: readonly TaskOutcome[], final: readonly TaskOutcome[]): void {
	const before = new Set(waiting.filter(({ task }) => task && hasEnded(task.status)).map(({ taskId }) => taskId));
	const open = final.filter(isAccepted).filter((outcome) => isFinal(outcome) && !before.has(outcome.taskId));
	addCost(context, 0, [...new Map(open.map((outcome) => [outcome.taskId, outcome])).values()]);
}
