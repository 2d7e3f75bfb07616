import type { Task } from './task';

/** What tasks cost, as far as their records state it. */
export interface CostTotals {
	/** Tasks that state a cost. */
	priced: number;
	/** In the unit of the balance. */
	cost: number;
	credits: number;
	/** Tasks that state neither cost nor credits. They are not free. */
	unpriced: number;
}

/** Adds amounts without the tail of floating point. */
export const sum = (values: readonly number[]) => Number(values.reduce((total, value) => total + value, 0).toFixed(6));

export function costTotals(tasks: ReadonlyArray<Pick<Task, 'cost' | 'creditsCost'>>): CostTotals {
	const costs = tasks.flatMap(({ cost }) => cost ?? []);
	return {
		priced: costs.length,
		cost: sum(costs),
		credits: sum(tasks.flatMap(({ creditsCost }) => creditsCost ?? [])),
		unpriced: tasks.filter(({ cost, creditsCost }) => cost === null && creditsCost === null).length,
	};
}
