import type { IDataObject, IExecuteFunctions, INodeExecutionData, NodeExecutionHint } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { errorItem, hasErrorOutput } from '../shared/n8n/errorItem';
import type { ChatOptions } from './options';
import type { Answer, Outcome } from './outcome';
import { sumUsage } from './usage';

function jsonOf({ text, stopReason, usage, warnings, cost, raw }: Answer, options: ChatOptions): IDataObject {
	return options.simplify ? { text, stopReason, usage, ...cost, warnings } : raw;
}

function toItem(context: IExecuteFunctions, outcome: Outcome, options: ChatOptions): INodeExecutionData[] {
	const { itemIndex, answer, error } = outcome;
	if (answer) return [{ json: jsonOf(answer, options), pairedItem: { item: itemIndex } }];
	return error ? [errorItem(error, itemIndex, hasErrorOutput(context.getNode()))] : [];
}

const count = (value: number) => value.toLocaleString('en-US');

function summary(answers: readonly Answer[], failed: number, options: ChatOptions): string {
	const usage = sumUsage(answers.flatMap((answer) => answer.usage ?? []));
	const costs = answers.map(({ cost }) => cost?.estimatedCost);
	const cost = costs.reduce<number>((total, each) => total + (each ?? 0), 0);
	const isPriced = answers.length > 0 && costs.every((each) => typeof each === 'number');
	return [
		`${count(answers.length)} ${answers.length === 1 ? 'answer' : 'answers'}`,
		...(failed > 0 ? [`${count(failed)} without one`] : []),
		`${count(usage.inputTotal)} input tokens (${count(usage.cacheRead)} read from the cache, ${count(usage.cacheWrite)} written to it, ${count(usage.inputUncached)} plain)`,
		`${count(usage.output)} output tokens`,
		...(isPriced ? [`estimated cost ${Number(cost.toFixed(6))}`] : []),
		...(options.warmCacheFirst ? [] : ['"Warm Cache First" is off']),
	].join(', ');
}

/** More would push the output out of sight; every item has its own in `warnings`. */
const MAX_WARNING_HINTS = 10;

function warningHints(outcomes: readonly Outcome[]): NodeExecutionHint[] {
	const itemsOf = new Map<string, number[]>();
	for (const { answer, itemIndex } of outcomes) {
		for (const warning of answer?.warnings ?? []) {
			itemsOf.set(warning, [...(itemsOf.get(warning) ?? []), itemIndex]);
		}
	}
	return [...itemsOf].slice(0, MAX_WARNING_HINTS).map(([warning, items]) => ({
		message: items.length === 1 ? `Item ${items[0]}: ${warning}` : `${items.length} items: ${warning}`,
		location: 'outputPane',
		type: 'warning',
	}));
}

/** The first item's error, with what became of the others: they are paid for. */
function runError(context: IExecuteFunctions, outcomes: readonly Outcome[], first: NodeApiError | NodeOperationError) {
	const failed = outcomes.filter(({ error }) => error !== undefined).length;
	const answered = outcomes.length - failed;
	if (outcomes.length === 1) return first;
	const message = `${first.message} (${failed} of ${outcomes.length} items have no answer)`;
	const kept =
		'To have the answers of the other items, set "On Error" to "Continue" in the node\'s settings; with "Retry On Fail" they are not asked for again.';
	const description = [first.description, answered > 0 ? kept : undefined].filter(Boolean).join('\n\n');
	const { itemIndex } = first.context;
	const settings = { message, description, itemIndex: typeof itemIndex === 'number' ? itemIndex : undefined };
	return first instanceof NodeApiError
		? new NodeApiError(context.getNode(), { message }, { ...settings, httpCode: first.httpCode ?? undefined })
		: new NodeOperationError(context.getNode(), message, settings);
}

/**
 * Turns outcomes into the node's output, in the order of the input, with hints that sum the run up. Unless the node
 * is set to continue, the first item without an answer ends it.
 */
export function finish(
	context: IExecuteFunctions,
	options: ChatOptions,
	outcomes: readonly Outcome[],
): INodeExecutionData[] {
	const broken = outcomes.find(({ error }) => error !== undefined);
	if (broken?.error && !context.continueOnFail()) throw runError(context, outcomes, broken.error);
	const answers = outcomes.flatMap(({ answer }) => answer ?? []);
	const failed = outcomes.length - answers.length;
	context.addExecutionHints(
		{
			message: summary(answers, failed, options),
			location: 'outputPane',
			type: failed > 0 ? 'warning' : 'info',
		},
		...warningHints(outcomes),
	);
	return outcomes.flatMap((outcome) => toItem(context, outcome, options));
}
