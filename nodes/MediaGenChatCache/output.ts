import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	NodeExecutionHint,
} from 'n8n-workflow';

import { type ChatResponse, holdsMore } from '../shared/api/chat';
import type { Cost } from '../shared/api/chatCost';
import { count, inputInWords, sumUsage, type Usage } from '../shared/api/chatUsage';
import { isFailed, runError } from '../shared/n8n/failedItems';
import { errorItem, retryOf } from '../shared/n8n/nodeErrors';
import type { ItemOptions } from '../shared/n8n/readOptions';
import { fatalItem, isLeftOut, type UnboughtItem } from '../shared/output/items';
import type { SpendingGuard } from '../shared/purchase/spendingGuard';
import { countLeftOut, sum, usedAmounts } from '../shared/report/customData';
import { hint, remainedBefore } from '../shared/report/hints';
import { toJson } from '../shared/util/json';
import { itemRanges } from '../shared/util/names';
import type { ChatOptions } from './fields';

export interface Answer {
	itemIndex: number;
	options: ItemOptions;
	text: string;
	stopReason: string | null;
	usage: Usage | undefined;
	warnings: string[];
	cost: Cost | undefined;
	/** As received. */
	response: ChatResponse;
}

export type ChatOutcome = Answer | UnboughtItem;

const isAnswer = (outcome: ChatOutcome): outcome is Answer => !isFailed(outcome);

function answerJson(
	{ text, stopReason, usage, warnings, cost, response }: Answer,
	simplify: boolean,
): IDataObject {
	if (!simplify) return toJson({ response });
	// All of it was paid for.
	const whole = text === '' || holdsMore(response) ? { response } : {};
	return toJson({ text, stopReason, usage: usage ?? null, ...cost, warnings, ...whole });
}

/** What all answers cost, or what the cache saved in all; `undefined` unless it is known for each answer. */
function total(answers: readonly Answer[], amount: keyof Cost): number | undefined {
	const amounts = answers.flatMap(({ cost }) => cost?.[amount] ?? []);
	return answers.length > 0 && amounts.length === answers.length ? sum(amounts) : undefined;
}

/** How much of the cost the cache saved. Writing to it may have cost more than reading saved. */
function savingOf(answers: readonly Answer[]): string[] {
	const saved = total(answers, 'savedByCache');
	if (saved === undefined || saved === 0) return [];
	return [saved > 0 ? `the cache saved ${saved}` : `the cache cost ${-saved} more than it saved`];
}

/** The tokens and the cost of a run, for n8n's tracing. */
export function usedBy(outcomes: readonly ChatOutcome[]) {
	const answers = outcomes.filter(isAnswer);
	const usages = answers.flatMap(({ usage }) => usage ?? []);
	const { inputTotal, output } = sumUsage(usages);
	const tokens = usages.length > 0 ? { input: inputTotal, output } : undefined;
	return usedAmounts(tokens, total(answers, 'estimatedCost'));
}

function summary(
	answers: readonly Answer[],
	failed: number,
	options: ChatOptions,
	remaining: string | undefined,
): string {
	const usages = answers.flatMap((answer) => answer.usage ?? []);
	const usage = sumUsage(usages);
	const tokens = [inputInWords(usage), count(usage.output, 'output token')];
	const cost = total(answers, 'estimatedCost');
	const perAnswer =
		cost !== undefined && answers.length > 1 ? ` (${sum([cost / answers.length])} per answer)` : '';
	return [
		count(answers.length, 'answer'),
		...(failed > 0 ? [`${count(failed, 'item')} without an answer`] : []),
		...(usages.length > 0 || answers.length === 0 ? tokens : ['tokens unknown']),
		...(cost === undefined ? [] : [`estimated cost ${cost}${perAnswer}`]),
		...savingOf(answers),
		...remainedBefore(remaining),
		...(options.warmCacheFirst ? [] : ['"Warm Cache First" is off']),
	].join(', ');
}

/** More hints would push the output out of sight. Every item has its own warnings in `warnings`. */
const MAX_WARNING_HINTS = 10;

function warningHints(answers: readonly Answer[]): NodeExecutionHint[] {
	const different = [...new Set(answers.flatMap(({ warnings }) => warnings))];
	return different.slice(0, MAX_WARNING_HINTS).map((warning) => {
		const warned = answers.filter(({ warnings }) => warnings.includes(warning));
		return hint(`${itemRanges(warned.map(({ itemIndex }) => itemIndex))}: ${warning}`);
	});
}

const kept = (context: IExecuteFunctions) =>
	`The other items were answered. ${retryOf(context)} does not buy their answers again. With "On Error" set to "Continue" they come out at once.`;

/** The output, in the order of the input, with hints that sum up the run. Unless the node is to continue, the first failed item ends it. */
export function toOutput(
	context: IExecuteFunctions,
	options: ChatOptions,
	outcomes: readonly ChatOutcome[],
	guard: SpendingGuard,
): INodeExecutionData[] {
	const node = context.getNode();
	const answers = outcomes.filter(isAnswer);
	const failed = fatalItem(context, outcomes);
	if (failed)
		throw runError(node, outcomes, failed, answers.length > 0 ? kept(context) : undefined);
	const comesOut = outcomes.filter((outcome) => !isLeftOut(outcome));
	const leftOut = guard.leftOutNote(outcomes);
	countLeftOut(context, outcomes.length - comesOut.length);
	if (leftOut !== undefined && comesOut.length === 0) context.logger.warn(`MediaGen: ${leftOut}`);
	context.addExecutionHints(
		hint(
			summary(answers, outcomes.length - answers.length, options, guard.lastRemaining),
			answers.length < outcomes.length ? 'warning' : 'info',
		),
		...(leftOut === undefined ? [] : [hint(leftOut)]),
		...warningHints(answers),
	);
	return comesOut.map((outcome, at) => {
		const { itemIndex } = outcome;
		const fields = toJson(outcome.options);
		if (isFailed(outcome)) return errorItem(node, outcome.error, itemIndex, fields);
		const warnings =
			at === 0 && leftOut !== undefined ? [leftOut, ...outcome.warnings] : outcome.warnings;
		return {
			json: { ...answerJson({ ...outcome, warnings }, options.simplify), ...fields },
			pairedItem: { item: itemIndex },
		};
	});
}
