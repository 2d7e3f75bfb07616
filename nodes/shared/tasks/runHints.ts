import type { NodeExecutionHint } from 'n8n-workflow';

import { isAccepted, type TaskOutcome } from '../output/items';

/** Adds amounts without the tail of floating point. */
const sum = (values: readonly number[]) => Number(values.reduce((total, value) => total + value, 0).toFixed(6));

function costOf(tasks: ReadonlyArray<{ cost: number | null; creditsCost: number | null }>): string[] {
	const costs = tasks.flatMap(({ cost }) => cost ?? []);
	const credits = tasks.flatMap(({ creditsCost }) => creditsCost ?? []);
	const unpriced = tasks.filter(({ cost, creditsCost }) => cost === null && creditsCost === null).length;
	return [
		...(costs.length > 0 ? [`cost ${sum(costs)}${costs.length > 1 ? ` (${sum(costs.map((cost) => cost / costs.length))} per task)` : ''}`] : []),
		...(credits.length > 0 ? [`${sum(credits)} credits`] : []),
		...(unpriced > 0 && tasks.length > 0 ? [`${unpriced} without a stated cost`] : []),
	];
}

const IN_MEMORY =
	'This n8n keeps binary data in memory. For large files set its environment variable N8N_DEFAULT_BINARY_DATA_MODE to filesystem.';

/** More would push the output out of sight. Every item has its own in `notes`. */
const MAX_NOTES = 10;

/** What the editor shows above the output: tasks, failures, cost, and what the service or the node changed. */
export function runHints(outcomes: readonly TaskOutcome[]): NodeExecutionHint[] {
	const tasks = outcomes.filter(isAccepted);
	const failed = outcomes.filter(({ error }) => error !== undefined).length;
	const inMemory = outcomes.some(({ files = [] }) => files.some(({ binary }) => binary.id === undefined));
	const ended = tasks.filter(({ task }) => task.status === 'completed').map(({ task }) => task);
	const parts = [
		`${tasks.length} ${tasks.length === 1 ? 'task' : 'tasks'}`,
		...(failed > 0 ? [`${failed} without a result`] : []),
		...costOf(ended),
	];
	const notes = [...new Set(outcomes.flatMap((outcome) => outcome.notes))].slice(0, MAX_NOTES);
	return [
		{ message: parts.join(', '), location: 'outputPane', type: failed > 0 ? 'warning' : 'info' },
		...[...notes, ...(inMemory ? [IN_MEMORY] : [])].map((message) => ({ message, location: 'outputPane' as const, type: 'warning' as const })),
	];
}
