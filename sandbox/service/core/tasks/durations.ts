import type { Family } from '../store/tasks';

/** Clock milliseconds from acceptance to the end, by family; `null` holds tasks until they are finished by hand. */
export type DurationTable = Record<Family, number | null>;

/** How long tasks take. A change holds for tasks that are accepted after it. */
export class Durations {
	private table: DurationTable;

	constructor(private readonly initial: DurationTable) {
		this.table = { ...initial };
	}

	of(family: Family): number | null {
		return this.table[family];
	}

	all(): DurationTable {
		return { ...this.table };
	}

	set(changes: Partial<DurationTable>): DurationTable {
		this.table = { ...this.table, ...changes };
		return this.all();
	}

	reset(): void {
		this.table = { ...this.initial };
	}
}
