import type { NodeExecutionHint } from 'n8n-workflow';

import { isFailed } from '../n8n/failedItems';
import { isAccepted, outcomeStatus, type TaskItem } from '../output/items';
import { said } from '../util/json';
import { costTotals, distinctTasks, sum } from './customData';

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** A line above the output in the editor, which shows it as HTML. */
export const hint = (message: string, type: 'info' | 'warning' = 'warning'): NodeExecutionHint => ({
	message: message.replace(/[&<>]/g, (sign) => ESCAPES[sign] ?? sign),
	location: 'outputPane',
	type,
});

export const remainedBefore = (remaining: string | undefined) =>
	remaining === undefined ? [] : [`${remaining} remained before the last purchase`];

/** The part of a hint that counts the items whose request is that of another: meant, or made by an expression that is none. */
export function repeated(items: ReadonlyArray<Pick<TaskItem, 'options'>>): string[] {
	const keys = items.flatMap(({ options }) => (options.reused ? [] : (options.purchaseKey ?? [])));
	const count = keys.length - new Set(keys).size;
	return count > 0 ? [`${count} with the same request as another`] : [];
}

const IN_MEMORY =
	'This n8n keeps binary data in memory. For large files set its environment variable N8N_DEFAULT_BINARY_DATA_MODE to filesystem.';

/** More notes would push the output out of sight. Every item has its own in `notes`. */
const MAX_NOTES = 10;

function summary(
	outcomes: readonly TaskItem[],
	lacksResult: (item: TaskItem) => boolean,
	when = '',
): string[] {
	const isThere = (item: TaskItem) => when === '' || outcomeStatus(item) !== 'not found';
	const accepted = outcomes.filter(isAccepted).filter(isThere);
	const tasks = distinctTasks(accepted);
	const failed = outcomes.filter(lacksResult).length;
	const unsure = outcomes.filter(({ state }) => state === 'unsure').length;
	const reused = accepted.filter(({ options }) => options.reused).length;
	const ended = tasks
		.filter(({ task, options }) => task.status === 'completed' && !options.reused)
		.map(({ task }) => task);
	const { priced, cost, credits, unpriced } = costTotals(ended);
	const unstated = priced + credits > 0 ? `${unpriced} without a stated cost` : 'no cost stated';
	const perTask = priced > 1 ? ` (${sum([cost / priced])} per task)` : '';
	const [items, were] = outcomes.length === 1 ? ['item', 'was'] : ['items', 'were'];
	return said(
		`${tasks.length} ${tasks.length === 1 ? 'task' : 'tasks'}${when}`,
		failed > 0 && `${failed} of ${outcomes.length} ${items} without a result`,
		unsure > 0 && `${unsure} may have been bought`,
		reused > 0 && `${reused} of ${outcomes.length} ${items} ${were} reused`,
		repeated(accepted),
		priced > 0 && `cost ${cost}${perTask}`,
		credits > 0 && `${credits} credits`,
		unpriced > 0 && unstated,
	);
}

/** What is to be said of files that n8n keeps in memory; `false` where it keeps few there. */
function memoryNote(outcomes: readonly TaskItem[]) {
	const files = outcomes.filter(isAccepted).flatMap((item) => item.files ?? []);
	const bytes = files.map((file) => (file && !file.binary.id ? file.fileSize : 0));
	return sum(bytes) > 20_000_000 && IN_MEMORY;
}

/** The outcomes with the summary of the run in the notes of the first: n8n shows no hints after a pause. A running task has no result. */
export function withSummary(outcomes: readonly TaskItem[], ...more: string[]): TaskItem[] {
	const run = summary(outcomes, (item) => isFailed(item) || outcomeStatus(item) !== 'completed');
	const ofRun = said(`This run: ${run.join(', ')}`, more, memoryNote(outcomes));
	return outcomes.map((outcome, at) =>
		at === 0 ? { ...outcome, notes: [...ofRun, ...outcome.notes] } : outcome,
	);
}

/** What the editor shows above the output. `bought` is what the run's purchases left; `undefined` where it only read tasks. */
export function runHints(
	outcomes: readonly TaskItem[],
	bought?: { lastRemaining?: string },
): NodeExecutionHint[] {
	const parts = [
		...summary(outcomes, isFailed, bought ? '' : ' bought earlier'),
		...remainedBefore(bought?.lastRemaining),
	];
	const notes = [...new Set(outcomes.flatMap((outcome) => outcome.notes))].slice(0, MAX_NOTES);
	return [
		hint(parts.join(', '), outcomes.some(isFailed) ? 'warning' : 'info'),
		...said(notes, memoryNote(outcomes)).map((note) => hint(note)),
	];
}
