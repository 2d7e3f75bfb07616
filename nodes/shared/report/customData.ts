import type { IExecuteFunctions, ITaskMetadata, IWebhookFunctions, Logger } from 'n8n-workflow';

import { hasEnded } from '../api/records';
import { type AcceptedItem, isAccepted, type TaskItem } from '../output/items';
import type { Task } from '../output/task';
import { isObject, objectIn, objectOf } from '../util/json';
import { z } from '../util/vendor/zod';

/** Reaches the custom data of the execution. What expressions see is not in a webhook's context. */
type CustomDataContext = Pick<IWebhookFunctions, 'logger' | 'evaluateExpression'> &
	Partial<Pick<IExecuteFunctions, 'getWorkflowDataProxy'>>;

interface CustomData {
	getAll(): unknown;
	setAll(values: Readonly<Record<string, string>>): unknown;
}

const isCustomData = (value: unknown): value is CustomData =>
	isObject(value) && typeof value.getAll === 'function' && typeof value.setAll === 'function';

/** After 2.8, n8n has it on the context. Before, a webhook's context reaches it only by expressions: each costs a part of a millisecond. */
function customDataOf(context: CustomDataContext): CustomData {
	const holder: unknown =
		'customData' in context ? context : context.getWorkflowDataProxy?.(0).$execution;
	if (isObject(holder) && isCustomData(holder.customData)) return holder.customData;
	const evaluate = (call: string) =>
		context.evaluateExpression(`{{ $execution.customData.${call} }}`, 0);
	return {
		getAll: () => evaluate('getAll()'),
		setAll: (values) => evaluate(`setAll(${JSON.stringify(values)})`),
	};
}

/** Adds amounts without floating-point errors. */
export const sum = (values: readonly number[]) =>
	Number(values.reduce((total, value) => total + value, 0).toFixed(6));

type Amounts = Readonly<Record<string, number>>;

/** Adds amounts to those of the same names before. What is not a number counts as zero. */
const addTo = (before: unknown, amounts: Amounts): Record<string, number> =>
	Object.fromEntries(
		Object.entries(amounts).map(([name, amount]) => {
			const known = Number(objectOf(before)[name] ?? 0);
			return [name, sum([Number.isFinite(known) ? known : 0, amount])];
		}),
	);

function addToCustomData(context: CustomDataContext, amounts: Amounts): void {
	const data = customDataOf(context);
	const after = Object.entries(addTo(data.getAll(), amounts));
	data.setAll(Object.fromEntries(after.map(([name, amount]) => [name, String(amount)])));
}

/** Does work that must never fail the node: the output is worth more than the figures. */
function bestEffort({ logger }: { logger: Logger }, target: string, work: () => void): void {
	try {
		work();
	} catch (error) {
		logger.warn(`MediaGen: the execution's ${target} could not be written: ${String(error)}`);
	}
}

/** Describes the run of a node. A webhook's context cannot. */
type RunContext = Pick<IExecuteFunctions, 'logger' | 'getExecuteData' | 'setMetadata'>;

/** What n8n keeps for the span of a node's run. The types of n8n-workflow 2.8 do not have it yet. */
type Traced = ITaskMetadata & { tracing?: Record<string, unknown> };

/** By the names that n8n's own model nodes use in 2.41. The cost is in the unit of the balance, or of prices that the user gave. */
export const usedAmounts = (
	tokens: { input: number; output: number } | undefined,
	cost: number | undefined,
): Amounts => ({
	...(tokens && {
		'llm.tokens.in': tokens.input,
		'llm.tokens.out': tokens.output,
		'llm.tokens.total': tokens.input + tokens.output,
	}),
	...(cost !== undefined && { 'llm.cost.total': cost }),
});

/** States in n8n's tracing metadata what the run used, in place of what an earlier attempt stated, or added to it. Never throws. */
export function traceUsed(context: RunContext, amounts: Amounts, how?: 'added'): void {
	bestEffort(context, 'tracing metadata', () => {
		const { tracing = {} }: Traced = (how === 'added' && context.getExecuteData().metadata) || {};
		const counted = 'llm.tokens.total' in amounts && { 'llm.tokens.estimated': false };
		const after: Traced = { tracing: { ...tracing, ...addTo(tracing, amounts), ...counted } };
		context.setMetadata(after);
	});
}

export function costTotals(tasks: ReadonlyArray<Pick<Task, 'cost' | 'creditsCost'>>) {
	const costs = tasks.flatMap(({ cost }) => cost ?? []);
	return {
		priced: costs.length,
		/** In the unit of the balance. */
		cost: sum(costs),
		credits: sum(tasks.flatMap(({ creditsCost }) => creditsCost ?? [])),
		/** Tasks that state neither cost nor credits. They are not free. */
		unpriced: tasks.filter(({ cost, creditsCost }) => cost === null && creditsCost === null).length,
	};
}

const tokenUsage = z.object({ input_tokens: z.number(), output_tokens: z.number() });

/** Tokens of the tasks whose records state them, such as pictures; `undefined` if none does. */
function tokensOf(tasks: readonly Task[]) {
	const usages = tasks.flatMap(({ usage }) => tokenUsage.safeParse(usage).data ?? []);
	if (usages.length === 0) return undefined;
	return {
		input: sum(usages.map((usage) => usage.input_tokens)),
		output: sum(usages.map((usage) => usage.output_tokens)),
	};
}

/** n8n keeps the object of `getContext` with the execution's own data, and all of its nodes share it. */
type CostContext = CustomDataContext &
	RunContext &
	Pick<IExecuteFunctions, 'getContext' | 'getInputData'>;

/**
 * How far tasks are counted, by id.
 * - `bought`: as a task; its cost is not known yet
 * - `waiting`: as a task; the callback that resumes the execution counts its cost
 * - `ended`: with its cost
 */
const COUNTED = 'mediaGenCounted';

/** How many tasks are remembered, the last ones: the execution's data stays bounded. */
const REMEMBERED = 10_000;

const isFinal = ({ record, task }: AcceptedItem) => record !== undefined && hasEnded(task.status);

function addCost(
	context: CustomDataContext,
	newTasks: number,
	ended: readonly AcceptedItem[],
	run?: RunContext,
): void {
	if (newTasks === 0 && ended.length === 0) return;
	// The service refunds a failed task.
	const tasks = ended.map(({ task }) => task).filter(({ status }) => status === 'completed');
	const { priced, cost, credits, unpriced } = costTotals(tasks);
	if (run) {
		const amounts = {
			...usedAmounts(tokensOf(tasks), priced > 0 ? cost : undefined),
			'mediagen.tasks': newTasks,
			'mediagen.credits': credits,
			'mediagen.unpriced': unpriced,
		};
		traceUsed(run, amounts, 'added');
	}
	addToCustomData(context, {
		mediagen_tasks: newTasks,
		mediagen_cost: cost,
		mediagen_credits: credits,
		mediagen_unpriced: unpriced,
	});
}

/** Whether the pause that waited for a task ended at its time limit: then no callback has counted it. */
function timedOut(context: CostContext, { itemIndex, taskId }: AcceptedItem): boolean {
	const json = context.getInputData()[itemIndex]?.json;
	return json?.taskId === taskId && json.status === 'submitted';
}

/** Adds items that "Max Tasks" left out to the custom data of the execution. Never throws. */
export function countLeftOut(context: CustomDataContext, items: number): void {
	const amounts = { mediagen_left_out: items };
	if (items > 0) bestEffort(context, 'custom data', () => addToCustomData(context, amounts));
}

/** Each task once: several items can name one, such as those of its files. */
export const distinctTasks = (items: readonly AcceptedItem[]) => [
	...new Map(items.map((item) => [item.taskId, item])).values(),
];

/** Adds tasks to the execution's custom data (design, Cost): each once, and its cost when its final record is read. Never throws. */
export function countCost(
	context: CostContext,
	outcomes: readonly TaskItem[],
	how: 'bought' | 'read' | 'waiting',
): void {
	bestEffort(context, 'custom data', () => {
		const counted = objectIn(context.getContext('flow'), COUNTED);
		let newTasks = 0;
		const ended: AcceptedItem[] = [];
		for (const outcome of outcomes.filter(isAccepted)) {
			const { taskId } = outcome;
			// In the order in which they came, which numbers would not have.
			const id = `t:${taskId}`;
			const before = counted[id];
			if (outcome.options.reused && before === undefined) {
				// Another execution bought it. A later node that reads it must not count it either.
				counted[id] = 'ended';
				continue;
			}
			const final = isFinal(outcome);
			if (before === 'ended' || (how === 'read' && !final)) continue;
			if (before === undefined) newTasks++;
			if (final && (before !== 'waiting' || timedOut(context, outcome))) ended.push(outcome);
			counted[id] = final ? 'ended' : how === 'waiting' ? 'waiting' : 'bought';
		}
		for (const oldest of Object.keys(counted).slice(0, -REMEMBERED)) delete counted[oldest];
		addCost(context, newTasks, ended, context);
	});
}

/** The same for the tasks of a pause. A webhook does not know what is `COUNTED`: the waiting items tell what was before the pause. */
export function countResumedCost(
	context: CustomDataContext,
	waiting: readonly TaskItem[],
	final: readonly TaskItem[],
): void {
	const endedBefore = waiting.filter(isAccepted).filter(({ task }) => hasEnded(task.status));
	const counted = new Set(endedBefore.map(({ taskId }) => taskId));
	const ended = final
		.filter(isAccepted)
		.filter((item) => isFinal(item) && !item.options.reused && !counted.has(item.taskId));
	bestEffort(context, 'custom data', () => addCost(context, 0, distinctTasks(ended)));
}
