import type { IExecuteFunctions } from 'n8n-workflow';

import { LINE_END, retryOf } from '../n8n/nodeErrors';
import { itemRanges, withoutItem } from '../util/names';
import { isTool } from '../n8n/readOptions';
import { isAccepted, isRefunded, outcomeStatus, type TaskItem } from '../output/items';
import type { TaskRun } from './taskRun';

const TASKS_OF_RUN = 'Tasks of this run, to be fetched with the resource Task, operation Get:';

/** What "Retry" does with the tasks of a run. n8n runs a sub-workflow as a whole when its caller runs again. */
function retryHint(context: IExecuteFunctions, outcomes: readonly TaskItem[]): string {
	const failed = outcomes.some(isRefunded) ? ', except those that were refunded' : '';
	const words = `continues these tasks and does not buy them again${failed}.`;
	return context.getMode() === 'integrated'
		? `In this sub-workflow, ${retryOf(context)} ${words} A retry of its caller buys all of them again.`
		: `${retryOf(context)} ${words}`;
}

const isUnsure = ({ state }: TaskItem) => state === 'unsure';

function endOf(outcome: TaskItem): string {
	const why = outcome.error ? ` (${withoutItem(outcome.error.message)})` : '';
	if (isUnsure(outcome)) return `may have been bought${why}`;
	const task = isAccepted(outcome) ? `task ${outcome.taskId}, ` : '';
	return `${task}${outcomeStatus(outcome)}${why}`;
}

/** Names all tasks, and items that may have been bought, so that they can be fetched. Items not bought for one reason are counted together. */
export function taskList(
	{ context }: TaskRun,
	outcomes: readonly TaskItem[],
	bought: boolean,
): string | undefined {
	const accepted = outcomes.some(isAccepted);
	// The error of a single task that was only read says everything.
	if (!bought && outcomes.length === 1) return undefined;
	if (!accepted && outcomes.filter(isUnsure).length < 2) return undefined;
	const ends = new Map<string, { end: string; items: number[] }>();
	for (const outcome of outcomes) {
		const end = endOf(outcome);
		const key = isUnsure(outcome) ? String(outcome.itemIndex) : end;
		const same = ends.get(key);
		if (same) same.items.push(outcome.itemIndex);
		else ends.set(key, { end, items: [outcome.itemIndex] });
	}
	// Where n8n has saved this error of a canceled execution, it has saved the tasks.
	const retry = bought && accepted && !isTool(context.getNode());
	return [
		TASKS_OF_RUN,
		...[...ends.values()].map(({ end, items }) => `${itemRanges(items)}: ${end}.`),
		...(retry ? [retryHint(context, outcomes)] : []),
	].join(LINE_END);
}
