import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { type BalanceRecord, remainingOf } from '../../shared/api/balance';
import type { Operation } from '../../shared/n8n/describe';
import { forEachItem, isFailed, throwFirstError } from '../../shared/n8n/failedItems';
import { errorItem, hasErrorOutput } from '../../shared/n8n/nodeErrors';
import { balanceUnit, fieldsOf, toggle } from '../../shared/n8n/options';
import { parseParameters } from '../../shared/n8n/parameters';
import { isTool } from '../../shared/n8n/readOptions';
import { number } from '../../shared/util/schema';
import { z } from '../../shared/util/vendor/zod';
import { balanceResource, retrieveBalance, staticDataNotice, toBalance } from '../balance';

const compare = balanceUnit('Compare');

const onlyOnChange = toggle({
	displayName: 'Only on Change',
	default: false,
	description:
		'Whether to pass items only in the first run, and when the balance has crossed the threshold since the last run. An AI agent always gets an answer.',
});

const fields: INodeProperties[] = [
	...fieldsOf({ compare }),
	{
		displayName: 'Threshold',
		name: 'threshold',
		type: 'number',
		required: true,
		default: 1,
		description: 'What must remain for "Enough". A key without a limit always has enough.',
	},
	...fieldsOf({ onlyOnChange }),
	{ ...staticDataNotice, displayOptions: { show: { onlyOnChange: [true] } } },
];

const rules = z.object({ threshold: number(0), compare, onlyOnChange });

const STATES = 'mediaGenBalanceStates';

const MOST_STATES = 1_000;

const knownStates = z.record(z.boolean()).catch({});

/** Whether enough remains for an item. `rule`: what it is compared with, if it comes out only on a change. */
function checkItem(context: IExecuteFunctions, record: BalanceRecord, itemIndex: number) {
	const item = { context, fields, itemIndex };
	const { compare: unit, threshold, onlyOnChange } = parseParameters(item, rules);
	const remaining = remainingOf(record, unit);
	if (remaining === null && !record.unlimited_quota) {
		throw new NodeOperationError(
			context.getNode(),
			`The service does not state the remaining ${unit}`,
			{ itemIndex, description: 'Choose the other unit in "Compare".' },
		);
	}
	const isEnough = remaining === null || remaining >= threshold;
	// An agent that asks must have an answer.
	const rule = onlyOnChange && !isTool(context.getNode()) ? `${unit} ${threshold}` : undefined;
	return { isEnough, rule };
}

/** Sorts the items by whether enough remains: output 0 is "Enough", output 1 is "Low". */
export const check: Operation = {
	resource: balanceResource,
	name: 'Check',
	value: 'check',
	action: 'Check the balance',
	description: 'Continue on one output while enough remains, and on the other when it does not',
	fields,
	async execute(context) {
		const node = context.getNode();
		// An agent gets the first output only.
		const isForAgent = isTool(node);
		const enough: INodeExecutionData[] = [];
		const low = isForAgent ? enough : [];
		const data = context.getWorkflowStaticData('node');
		const before = knownStates.parse(data[STATES]);
		// One request serves all items: nothing is spent between them.
		const balance = retrieveBalance(context);
		const items = context.getInputData();
		const results = await forEachItem(context, async (itemIndex) => {
			const record = await balance;
			const checked = checkItem(context, record, itemIndex);
			const json = {
				...items[itemIndex]?.json,
				balance: toBalance(record),
				...(isForAgent ? { isEnough: checked.isEnough } : {}),
			};
			return { ...checked, item: { ...items[itemIndex], json, pairedItem: { item: itemIndex } } };
		});
		throwFirstError(context, results);
		for (const result of results) {
			if (isFailed(result)) {
				const row = hasErrorOutput(node) ? undefined : items[result.itemIndex];
				const error = errorItem(node, result.error, result.itemIndex, row?.json);
				low.push({ ...row, ...error });
			} else if (result.rule === undefined || before[result.rule] !== result.isEnough)
				(result.isEnough ? enough : low).push(result.item);
		}
		const now = results.flatMap((result) =>
			isFailed(result) || result.rule === undefined
				? []
				: [[result.rule, result.isEnough] as const],
		);
		// While the balance cannot be read, the last known state stays. A write that changes nothing would make n8n save it again.
		if (now.some(([rule, isEnough]) => before[rule] !== isEnough)) {
			const current = new Set(now.map(([rule]) => rule));
			// Rules from other rounds of a loop.
			const others = Object.entries(before).filter(([rule]) => !current.has(rule));
			data[STATES] = Object.fromEntries([...others, ...now].slice(-MOST_STATES));
		}
		return isForAgent ? [enough] : [enough, low];
	},
};
