import type { IDataObject, IExecuteFunctions, INodeExecutionData, NodeExecutionHint } from 'n8n-workflow';

import type { ChatResponse } from '../shared/api/chat';
import { errorItem, type FailedItem, isFailed, runError } from '../shared/n8n/nodeErrors';
import type { ItemOptions } from '../shared/n8n/options';
import { toJson } from '../shared/util/json';
import type { ChatOptions } from './options';
import type { Cost } from './usage/cost';
import { sumUsage, type Usage } from './usage/usage';

/** An item that was answered. */
export interface Answer {
	itemIndex: number;
	text: string;
	stopReason: string | null;
	usage: Usage | undefined;
	warnings: string[];
	cost: Cost | undefined;
	/** As it came. */
	response: ChatResponse;
}

export type ChatOutcome = Answer | FailedItem;

function answerJson({ text, stopReason, usage, warnings, cost, response }: Answer, simplify: boolean): IDataObject {
	if (!simplify) return toJson({ response });
	// An answer without text was paid for too, and may hold something else, such as a tool call.
	const whole = text === '' ? { response } : {};
	return toJson({ text, stopReason, usage: usage ?? null, ...cost, warnings, ...whole });
}

const count = (value: number) => value.toLocaleString('en-US');

function summary(answers: readonly Answer[], failed: number, options: ChatOptions): string {
	const usage = sumUsage(answers.flatMap((answer) => answer.usage ?? []));
	const costs = answers.map(({ cost }) => cost?.estimatedCost);
	const cost = costs.reduce<number>((total, each) => total + (each ?? 0), 0);
	const isPriced = answers.length > 0 && costs.every((each) => typeof each === 'number');
	return [
		`${count(answers.length)} ${answers.length === 1 ? 'answer' : 'answers'}`,
		...(failed > 0 ? [`${count(failed)} ${failed === 1 ? 'item' : 'items'} without an answer`] : []),
		`${count(usage.inputTotal)} input tokens (${count(usage.cacheRead)} read from the cache, ${count(usage.cacheWrite)} written to it, ${count(usage.inputUncached)} plain)`,
		`${count(usage.output)} output tokens`,
		...(isPriced ? [`estimated cost ${Number(cost.toFixed(6))}`] : []),
		...(options.warmCacheFirst ? [] : ['"Warm Cache First" is off']),
	].join(', ');
}

/** More would push the output out of sight. Every item has its own in `warnings`. */
const MAX_WARNING_HINTS = 10;

function warningHints(answers: readonly Answer[]): NodeExecutionHint[] {
	const itemsOf = new Map<string, number[]>();
	for (const { warnings, itemIndex } of answers) {
		for (const warning of warnings) itemsOf.set(warning, [...(itemsOf.get(warning) ?? []), itemIndex]);
	}
	return [...itemsOf].slice(0, MAX_WARNING_HINTS).map(([warning, items]) => ({
		message: items.length === 1 ? `Item ${items[0]}: ${warning}` : `${items.length} items: ${warning}`,
		location: 'outputPane',
		type: 'warning',
	}));
}

const KEPT =
	'To get the answers of the other items, set "On Error" to "Continue" in the settings of the node. With "Retry On Fail" they are not bought again.';

/**
 * Converts outcomes to the node's output, in the order of the input, with hints that sum up the run. Unless the node is set to
 * continue, the first failed item ends it.
 *
 * @param own the options of each item: what its output holds beside the answer
 */
export function toOutput(
	context: IExecuteFunctions,
	options: ChatOptions,
	outcomes: readonly ChatOutcome[],
	own: readonly ItemOptions[],
): INodeExecutionData[] {
	const node = context.getNode();
	const answers = outcomes.filter((outcome): outcome is Answer => !isFailed(outcome));
	const failed = outcomes.find(isFailed);
	if (failed && !context.continueOnFail()) {
		throw runError(node, outcomes, failed, answers.length > 0 ? KEPT : undefined);
	}
	context.addExecutionHints(
		{
			message: summary(answers, outcomes.length - answers.length, options),
			location: 'outputPane',
			type: failed ? 'warning' : 'info',
		},
		...warningHints(answers),
	);
	return outcomes.map((outcome) => {
		const { itemIndex } = outcome;
		const fields = toJson(own[itemIndex] ?? {});
		if (isFailed(outcome)) return errorItem(node, outcome.error, itemIndex, fields);
		return { json: { ...answerJson(outcome, options.simplify), ...fields }, pairedItem: { item: itemIndex } };
	});
}
