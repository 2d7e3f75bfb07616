/** The kinds of task the service runs, each with its own record shape (spec, Resources). */
export const TASK_FAMILIES = ['music', 'image', 'grid', 'video'] as const;

export type TaskFamily = (typeof TASK_FAMILIES)[number];

/** Hours a result link lives where the service states a lifetime but sends no date (spec §5, §7). */
export const LINK_LIFETIME_HOURS = { video: 24, upload: 72 } as const;

/**
 * Path of a task's record. Music has its own (spec §2); images and grids share one (spec §3, §4); for video
 * the spec shows none, so the shared one is used unless the user names another.
 */
export function taskPath(family: TaskFamily, taskId: string): string {
	const id = encodeURIComponent(taskId);
	return family === 'music' ? `/v1/music/tasks/${id}` : `/v1/tasks/${id}`;
}
