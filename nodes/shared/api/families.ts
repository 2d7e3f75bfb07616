/** The kinds of task that the service runs, each with its own record shape (spec, Resources). */
export const TASK_FAMILIES = ['music', 'image', 'grid', 'video'] as const;

export type TaskFamily = (typeof TASK_FAMILIES)[number];

/** Hours for which a link lives where the service states a lifetime but sends no date (spec §5, §7). */
export const LINK_LIFETIME_HOURS = { video: 24, upload: 72 } as const;

/** Stands for the task's id in a query path. */
export const TASK_ID_PLACEHOLDER = '{task_id}';

/**
 * Path of a family's task records. Music has its own (spec §2), images and grids share one (spec §3, §4). For video the spec
 * shows none, so the shared path is the default.
 */
function queryPathOf(family: TaskFamily): string {
	return family === 'music' ? '/v1/music/tasks/{task_id}' : '/v1/tasks/{task_id}';
}

/** Path of one task's record. `queryPath` is the user's own, with `{task_id}` in it. */
export function taskPath(
	family: TaskFamily,
	taskId: string,
	queryPath = queryPathOf(family),
): string {
	return queryPath.replaceAll(TASK_ID_PLACEHOLDER, encodeURIComponent(taskId));
}
