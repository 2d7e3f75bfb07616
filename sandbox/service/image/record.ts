import { words } from '../core/dialects';
import type { Service } from '../core/service';
import { progressOf, type Task } from '../core/store/tasks';
import { enveloped, RecordWriter } from '../core/tasks/record';
import type { ImagePlan } from './plan';

/** The spec shows all of them, so they are the same in every dialect. */
const WORDS = words('submitted', 'in_progress', 'completed', 'failed');

/** The image task record (spec, Image task record; for the failed shape, Callback payload). */
export function imageTaskRecord(service: Service, task: Task<ImagePlan>): object {
	const writer = new RecordWriter(service);
	const { blank } = writer;
	const { results, plan } = task;
	return {
		...writer.common(task, WORDS),
		...(task.outcome.status === 'failed' && task.endedAt !== null
			? {}
			: { estimated_time: writer.number(Math.ceil((task.durationMs ?? 0) / 1000)) }),
		result: results
			? {
					images: results.map(({ file }) => ({
						url: writer.linkList(service.files.url(file)),
						expires_at: writer.expiry(file),
					})),
					...(writer.dialect.links === 'items' ? { videos: [] } : {}),
				}
			: blank.container,
		usage: results ? writer.numbers(plan.usage) : blank.container,
	};
}

/**
 * The answer of `GET /v1/images/generations/{task_id}`. The spec names `status`, `url` and `fail_reason` and shows no
 * shape.
 */
export function imageGenerationRecord(service: Service, task: Task): object {
	const writer = new RecordWriter(service);
	const { stage, share } = progressOf(task, service.clock.now());
	const file = task.results?.[0]?.file;
	const record = {
		id: writer.id(task.id),
		status: WORDS[stage],
		progress: writer.percent(Math.floor(share * 100)),
		url: file ? writer.link(service.files.url(file)) : '',
		fail_reason: task.outcome.status === 'failed' && stage === 'failed' ? task.outcome.message : '',
	};
	return writer.dialect.links === 'lists' ? enveloped(record) : record;
}
