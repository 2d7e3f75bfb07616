import { creditsToCost } from '../core/prices';
import type { Service } from '../core/service';
import { progressOf, type Task } from '../core/store/tasks';
import { unixSeconds } from '../core/time/clock';
import { isImagePlan, type ImageUsage } from './plan';

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
	if (task.outcome.status === 'failed') {
		return { ...record, error: { message: task.outcome.message, code: task.outcome.code } };
	}
	const credits = task.credits - task.refunded;
	return {
		...record,
		estimated_time: Math.ceil((task.durationMs ?? 0) / 1000),
		actual_time: Math.round((task.endedAt - task.createdAt) / 1000),
		cost: creditsToCost(credits),
		credits_cost: credits,
		result: {
			images: (task.results ?? []).map(({ file }) => ({
				url: [service.files.url(file)],
				expires_at: unixSeconds(file.expiresAt ?? 0),
			})),
		},
		...(isImagePlan(task.plan) ? { usage: task.plan.usage } : {}),
	};
}

/**
 * What `GET /v1/images/generations/{task_id}` answers. The spec names `status`, `url` and `fail_reason` and shows no
 * shape: a bare record, with empty texts for what there is not, is the sandbox's choice.
 */
export function imageGenerationRecord(service: Service, task: Task) {
	const { id, status, progress, result, error } = imageTaskRecord(service, task);
	return { id, status, progress, url: result?.images[0]?.url[0] ?? '', fail_reason: error?.message ?? '' };
}
