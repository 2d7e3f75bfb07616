import type { Family } from '../store/task';
import type { Tasks } from '../store/tasks';

const PREFIXES: ReadonlyArray<readonly [string, Family]> = [
	['/v1/images/', 'image'],
	['/v1/music/', 'music'],
	['/v1/gridart/', 'grid'],
	['/v1/videos/', 'video'],
];

const TASK_PATH = /^\/v1\/tasks\/([^/]+)$/;

/** The family that a path is about; for a task query, the family of the task. */
export function familyOf(path: string, tasks: Tasks): Family | null {
	const task = TASK_PATH.exec(path)?.[1];
	if (task) return tasks.find(task)?.family ?? null;
	return PREFIXES.find(([prefix]) => path.startsWith(prefix))?.[1] ?? null;
}
