/** The four states every family is told in, whatever word the service uses (spec, States and transitions). */
export const TASK_STATUSES = ['submitted', 'running', 'completed', 'failed'] as const;

export type TaskStatus = (typeof TASK_STATUSES)[number];

const WORDS: Record<TaskStatus, readonly string[]> = {
	submitted: ['submitted', 'queued', 'not_start', 'created'],
	running: ['pending', 'in_progress', 'processing', 'running'],
	completed: ['completed', 'success', 'succeeded'],
	failed: ['failed', 'failure', 'error', 'cancelled', 'canceled'],
};

const STATUS_OF_WORD = new Map(
	TASK_STATUSES.flatMap((status) => WORDS[status].map((word) => [word, status] as const)),
);

/** The state that the service's word stands for, or `undefined` for a word that is not known here. */
export function knownStatus(serviceStatus: string): TaskStatus | undefined {
	return STATUS_OF_WORD.get(serviceStatus.toLowerCase());
}

/**
 * Reads the service's word for a state. The spec does not show every word (grid and video between submission
 * and completion), so an unknown one counts as running: the wait goes on until its own time limit.
 */
export function toTaskStatus(serviceStatus: string): TaskStatus {
	return knownStatus(serviceStatus) ?? 'running';
}

/** Whether nothing more will happen to a task in this state. */
export function hasEnded(status: TaskStatus): boolean {
	return status === 'completed' || status === 'failed';
}
