/** The four states of a task in every family, whatever words the service uses (spec, States and transitions). */
export const TASK_STATUSES = ['submitted', 'running', 'completed', 'failed'] as const;

export type TaskStatus = (typeof TASK_STATUSES)[number];

const WORDS: Record<TaskStatus, readonly string[]> = {
	submitted: ['submitted', 'pending', 'queued', 'queueing', 'not_start', 'not_started', 'created', 'accepted', 'waiting'],
	running: ['in_progress', 'processing', 'running', 'generating', 'started'],
	completed: ['completed', 'complete', 'success', 'succeed', 'succeeded', 'done', 'finished'],
	failed: ['failed', 'failure', 'fail', 'error', 'cancelled', 'canceled', 'expired', 'rejected', 'timeout'],
};

const STATUS_OF_WORD = new Map(TASK_STATUSES.flatMap((status) => WORDS[status].map((word) => [word, status] as const)));

/** The state for the service's word, without case; `undefined` for a word that is not known here. */
export function knownStatus(serviceStatus: string): TaskStatus | undefined {
	return STATUS_OF_WORD.get(serviceStatus.trim().toLowerCase().replace(/[\s-]/g, '_'));
}

/** Whether a task in this state changes no more. */
export function hasEnded(status: TaskStatus): boolean {
	return status === 'completed' || status === 'failed';
}
