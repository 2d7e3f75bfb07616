import type { NodeApiError, NodeOperationError } from 'n8n-workflow';

import type { ReadTask } from '../output/items';
import type { Task } from '../output/task';

/** What became of one input item so far. */
export interface Outcome {
	itemIndex: number;
	/** Set as soon as the service has taken the task. */
	taskId?: string;
	/** The task as last seen. */
	read?: ReadTask;
	/** Why there is no result for this item. The task, if there is one, is still named above. */
	error?: NodeApiError | NodeOperationError;
}

/** An item whose task the service has taken. */
export interface TakenOutcome extends Outcome {
	taskId: string;
}

export function isTaken(outcome: Outcome): outcome is TakenOutcome {
	return outcome.taskId !== undefined;
}

/** The state to tell a user: the last one seen, or that there is no task. */
export function stateOf({ taskId, read }: Outcome): Task['status'] | 'not submitted' {
	if (taskId === undefined) return 'not submitted';
	return read?.task.status ?? 'submitted';
}
