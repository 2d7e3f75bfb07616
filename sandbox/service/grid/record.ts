import type { Service } from '../core/service';
import { progressOf, type Task } from '../core/store/tasks';
import type { GridAction, GridButton } from './buttons';
import { isGridPlan } from './plan';

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
	const { plan, results, outcome } = task;
	const record: GridTaskRecord = { id: task.id, status: STATUS[progressOf(task, service.clock.now()).stage] };
	if (isGridPlan(plan)) record.action = plan.action;
	if (task.endedAt !== null && outcome.status === 'failed') return { ...record, error: { message: outcome.message, code: outcome.code } };
	if (!isGridPlan(plan) || results === null) return record;
	const grid = results.find(({ name }) => name === 'grid');
	return {
		...record,
		...(grid ? { grid_image_url: service.files.url(grid.file) } : {}),
		image_urls: results.filter((result) => result !== grid).map(({ file }) => service.files.url(file)),
		buttons: plan.buttons,
	};
}
