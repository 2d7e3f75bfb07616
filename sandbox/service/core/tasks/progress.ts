import type { Task } from '../store/task';

/** A task has been noticed by the machinery once this share of its time has passed. */
const NOTICED = 0.1;

export type Stage = 'submitted' | 'running' | 'completed' | 'failed';

/** Where a task stands at a moment. */
export interface Progress {
	stage: Stage;
	/** 0 to 1; 1 only when it has completed. */
	share: number;
}

/** @param now clock milliseconds */
export function progressOf(task: Task, now: number): Progress {
	const spent = (task.endedAt ?? now) - task.createdAt;
	const share = task.durationMs === null ? 0.5 : Math.min(0.99, spent / Math.max(1, task.durationMs));
	if (task.endedAt === null) return { stage: share < NOTICED ? 'submitted' : 'running', share };
	return task.fate.status === 'completed' ? { stage: 'completed', share: 1 } : { stage: 'failed', share };
}
