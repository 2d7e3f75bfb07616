import type { Task } from './task';

/** The accepted tasks, in the order of their acceptance. */
export class Tasks {
	private readonly byId = new Map<string, Task>();

	add(task: Task): void {
		this.byId.set(task.id, task);
	}

	find(id: string): Task | undefined {
		return this.byId.get(id);
	}

	list(): Task[] {
		return [...this.byId.values()];
	}

	reset(): void {
		this.byId.clear();
	}
}
