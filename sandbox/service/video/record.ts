import { creditsToCost } from '../core/prices';
import type { Service } from '../core/service';
import { progressOf, type Task } from '../core/store/tasks';
import { unixSeconds } from '../core/time/clock';

/** Only `success` is the spec's ("its original task has status `success`"); the other words are the sandbox's own. */
const STATUS = { submitted: 'submitted', running: 'processing', completed: 'success', failed: 'failed' } as const;

/** A video task. Its record is not shown: the envelope follows the image record, the link's field is the sandbox's own. */
export interface VideoTaskRecord {
	id: string;
	status: (typeof STATUS)[keyof typeof STATUS];
	progress: number;
	created: number;
	completed?: number;
	actual_time?: number;
	cost?: number;
	credits_cost?: number;
	result?: { video_url: string; expires_at: number };
	error?: { message: string; code: string };
}

export function videoTaskRecord(service: Service, task: Task): VideoTaskRecord {
	const { stage, share } = progressOf(task, service.clock.now());
	const { results, outcome } = task;
	const record: VideoTaskRecord = {
		id: task.id,
		status: STATUS[stage],
		progress: Math.floor(share * 100),
		created: unixSeconds(task.createdAt),
	};
	if (task.endedAt === null) return record;
	record.completed = unixSeconds(task.endedAt);
	if (outcome.status === 'failed') return { ...record, error: { message: outcome.message, code: outcome.code } };
	const file = results?.[0]?.file;
	if (!file) return record;
	return {
		...record,
		actual_time: Math.round((task.endedAt - task.createdAt) / 1000),
		cost: creditsToCost(task.credits),
		credits_cost: task.credits,
		result: { video_url: service.files.url(file), expires_at: unixSeconds(file.expiresAt ?? 0) },
	};
}
