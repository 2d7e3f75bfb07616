import type { IBinaryData, INodeExecutionData } from 'n8n-workflow';
import type { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { downloadResult } from '../output/download';
import { errorItem, hasErrorOutput } from '../n8n/errorItem';
import { toItems, toJson } from '../output/items';
import { asNodeError } from '../n8n/nodeErrors';
import { pLimit } from '../util/vendor/pLimit';
import { isTaken, type Outcome, stateOf, type TakenOutcome } from './outcome';
import type { Delivery } from './run';

/** An outcome with its files in n8n's binary storage, in the order of the task's results. */
export interface Delivered extends Outcome {
	files?: IBinaryData[];
}

async function download(run: Delivery, outcome: TakenOutcome): Promise<Delivered> {
	const { context, client, options, signal } = run;
	const files: IBinaryData[] = [];
	try {
		for (const file of outcome.read?.task.results ?? []) {
			files.push(await downloadResult(context, client.connection, outcome.taskId, file, { ...options, signal }));
		}
		return { ...outcome, files };
	} catch (error) {
		const { itemIndex } = outcome;
		return { ...outcome, error: asNodeError(context.getNode(), error, { itemIndex }) };
	}
}

/** As few files at once as keeps the line busy: each one passes through this process. */
const PARALLEL_DOWNLOADS = 3;

/** Downloads the files of every task that has some, if the options ask for it. */
export async function downloadAll(run: Delivery, outcomes: readonly Outcome[]): Promise<Delivered[]> {
	if (!run.options.downloadResults) return [...outcomes];
	const limit = pLimit(PARALLEL_DOWNLOADS);
	return await Promise.all(
		outcomes.map(async (outcome) =>
			isTaken(outcome) && outcome.error === undefined
				? await limit(async () => await download(run, outcome))
				: outcome,
		),
	);
}

/** The error's item, with whatever is known of the task. */
function brokenItem(run: Delivery, outcome: Outcome, error: NodeApiError | NodeOperationError): INodeExecutionData {
	const { itemIndex, taskId, read } = outcome;
	return errorItem(error, itemIndex, hasErrorOutput(run.context.getNode()), {
		...(read ? toJson(read.task) : {}),
		...(taskId === undefined ? {} : { taskId }),
		status: stateOf(outcome),
	});
}

/**
 * With "Retry On Fail" n8n takes any `error` field of the first item, even `null`, for a sign to run the node again.
 * A run that went well must not give that sign.
 */
function withoutEmptyError(item: INodeExecutionData): INodeExecutionData {
	const { error, ...json } = item.json;
	return error === null || error === undefined ? { ...item, json } : item;
}

/** The node's output for what became of each item, in the order of the input. */
export function outputItems(run: Delivery, delivered: readonly Delivered[]): INodeExecutionData[] {
	const items = delivered.flatMap((outcome) => {
		if (outcome.error) return [brokenItem(run, outcome, outcome.error)];
		return outcome.read ? toItems(outcome.read, outcome.files, outcome.itemIndex, run.options) : [];
	});
	return run.context.getNode().retryOnFail ? items.map(withoutEmptyError) : items;
}
