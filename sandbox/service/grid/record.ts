import type { GridAction, GridButton } from './entities';
import type { Task } from '../core/store/task';
import { progressOf } from '../core/tasks/progress';
import type { Service } from '../core/service';

/** Only `SUCCESS` is the spec's; the other words are the sandbox's own. */
const STATUS = { submitted: 'SUBMITTED', running: 'IN_PROGRESS', completed: 'SUCCESS', failed: 'FAILURE' } as const;

/** The grid task record (spec, Grid-image task). */
export interface GridTaskRecord {
	id: string;
	status: (typeof STATUS)[keyof typeof STATUS];
	action?: GridAction;
	grid_image_url?: string;
	image_urls?: string[];
	buttons?: readonly GridButton[];
	error?: { message: string; code: string };
}

export function gridTaskRecord(service: Service, task: Task): GridTaskRecord {
	const { plan, result, fate } = task;
	const record: GridTaskRecord = { id: task.id, status: STATUS[progressOf(task, service.clock.now()).stage] };
	if (plan.family === 'grid') record.action = plan.action;
	if (task.endedAt !== null && fate.status === 'failed') return { ...record, error: { message: fate.message, code: fate.code } };
	if (plan.family !== 'grid' || result?.family !== 'grid') return record;
	return {
		...record,
		...(result.grid ? { grid_image_url: service.files.url(result.grid) } : {}),
		image_urls: result.images.map((file) => service.files.url(file)),
		buttons: plan.buttons,
	};
}
