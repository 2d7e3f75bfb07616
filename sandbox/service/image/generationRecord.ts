import type { Task } from '../core/store/task';
import type { Service } from '../core/service';
import { imageTaskRecord } from './record';

/**
 * What `GET /v1/images/generations/{task_id}` answers. The spec names `status`, `url` and `fail_reason` and shows no
 * shape: a bare record, with empty texts for what there is not, is the sandbox's choice.
 */
export function imageGenerationRecord(service: Service, task: Task) {
	const { id, status, progress, result, error } = imageTaskRecord(service, task);
	return { id, status, progress, url: result?.images[0]?.url[0] ?? '', fail_reason: error?.message ?? '' };
}
