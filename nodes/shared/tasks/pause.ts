import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { hasEnded } from '../api/status';
import { toJson } from '../output/items';
import { clock } from '../util/clock';
import { isTaken, type Outcome, stateOf } from './outcome';

function isOpen(outcome: Outcome): boolean {
	return isTaken(outcome) && outcome.error === undefined && !hasEnded(outcome.read?.task.status ?? 'submitted');
}

/** Whether there is a task to pause for. */
export function hasOpenTask(outcomes: readonly Outcome[]): boolean {
	return outcomes.some(isOpen);
}

/** What a parked item says of its task: enough to resume by, and what comes out if no callback ever comes. */
function parkedFields(outcome: Outcome): IDataObject {
	const { taskId, read, error } = outcome;
	return {
		...(read ? toJson(read.task) : {}),
		...(taskId === undefined ? {} : { taskId }),
		// Whatever was seen of it a moment ago: a workflow asks for this one word after a timeout.
		status: isOpen(outcome) ? 'submitted' : stateOf(outcome),
		error: error ? { message: error.message, description: error.description ?? null } : null,
	};
}

/** With "Retry On Fail" n8n would run a node again that parks with an `error` field in its first item, even `null`. */
function parkedJson(json: IDataObject, outcome: Outcome): IDataObject {
	const { error, ...fields } = { ...json, ...parkedFields(outcome) };
	return error === null ? fields : { ...fields, error };
}

/**
 * Parks the execution until the service calls back, or until "Timeout" has passed. What stands in the input items
 * is all that n8n keeps of a parked node, so the tasks are written there, beside what the items held.
 */
export async function park(
	context: IExecuteFunctions,
	outcomes: readonly Outcome[],
	timeoutSeconds: number,
): Promise<INodeExecutionData[][]> {
	const items = context.getInputData();
	for (const outcome of outcomes) {
		const item = items[outcome.itemIndex];
		if (item) item.json = parkedJson(item.json, outcome);
	}
	await context.putExecutionToWait(new Date(clock.now() + timeoutSeconds * 1_000));
	return [items];
}
