import type { Service } from '../core/service';
import { progressOf, type Task } from '../core/store/tasks';
import { isMusicPlan } from './tracks';

/** Progress goes 10 (queued), 50 (ready), 100 (finished). */
const QUEUED = 10;
const READY = 50;
const FINISHED = 100;

/** What `GET /v1/music/tasks/{task_id}` carries in `data`: these four fields, and no others (spec, Music task). */
export interface MusicTaskRecord {
	status: 'pending' | 'completed' | 'failed';
	progress: number;
	result: MusicResultRecord | null;
	error: { message: string } | null;
}

export type MusicResultRecord =
	| { music: Array<{ audio_url: string }> }
	| { upsampled_tags: string }
	/** Links of stems. "Field names … not shown": these are the sandbox's own. */
	| { stems: Record<string, string> };

export function musicTaskRecord(service: Service, task: Task): MusicTaskRecord {
	const { share } = progressOf(task, service.clock.now());
	const progress = share < 0.5 ? QUEUED : READY;
	if (task.endedAt === null) return { status: 'pending', progress, result: null, error: null };
	if (task.outcome.status === 'failed') {
		return { status: 'failed', progress, result: null, error: { message: task.outcome.message } };
	}
	return { status: 'completed', progress: FINISHED, result: resultOf(service, task), error: null };
}

function resultOf(service: Service, { plan, results }: Task): MusicResultRecord | null {
	if (!isMusicPlan(plan) || results === null) return null;
	if (plan.upsampledTags !== null) return { upsampled_tags: plan.upsampledTags };
	const stems = results.flatMap(({ name, file }) => (name === null ? [] : [[`${name}_url`, service.files.url(file)]]));
	if (stems.length > 0) return { stems: Object.fromEntries(stems) as Record<string, string> };
	return { music: results.map(({ file }) => ({ audio_url: service.files.url(file) })) };
}
