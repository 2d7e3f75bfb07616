import type { ImageUsage } from './entities';
import type { Task } from '../core/store/task';
import { filesOf } from '../core/tasks/produce';
import { progressOf } from '../core/tasks/progress';
import { creditsToCost } from '../core/prices';
import type { Service } from '../core/service';
import { unixSeconds } from '../core/time/clock';

const STATUS = { submitted: 'submitted', running: 'in_progress', completed: 'completed', failed: 'failed' } as const;

/** The image task record (spec, Image task record; for the failed shape, Callback payload). */
export interface ImageTaskRecord {
	id: string;
	status: (typeof STATUS)[keyof typeof STATUS];
	progress: number;
	created: number;
	estimated_time?: number;
	completed?: number;
	actual_time?: number;
	cost?: number;
	credits_cost?: number;
	result?: { images: Array<{ url: string[]; expires_at: number }> };
	usage?: ImageUsage;
	error?: { message: string; code: string };
}

export function imageTaskRecord(service: Service, task: Task): ImageTaskRecord {
	const { stage, share } = progressOf(task, service.clock.now());
	const record: ImageTaskRecord = {
		id: task.id,
		status: STATUS[stage],
		progress: Math.floor(share * 100),
		created: unixSeconds(task.createdAt),
	};
	if (task.endedAt === null) {
		return { ...record, estimated_time: Math.ceil((task.durationMs ?? 0) / 1000) };
	}
	record.completed = unixSeconds(task.endedAt);
	if (task.fate.status === 'failed') {
		return { ...record, error: { message: task.fate.message, code: task.fate.code } };
	}
	const credits = task.credits - task.refunded;
	return {
		...record,
		estimated_time: Math.ceil((task.durationMs ?? 0) / 1000),
		actual_time: Math.round((task.endedAt - task.createdAt) / 1000),
		cost: creditsToCost(credits),
		credits_cost: credits,
		result: {
			images: filesOf(task.result).map((file) => ({
				url: [service.files.url(file)],
				expires_at: unixSeconds(file.expiresAt ?? 0),
			})),
		},
		...(task.plan.family === 'image' ? { usage: task.plan.usage } : {}),
	};
}
