import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { remainingOf } from '../../shared/api/balance';
import type { Operation } from '../../shared/n8n/describe';
import { itemOrError, isFailed, throwFirstError } from '../../shared/n8n/failedItems';
import { errorItem } from '../../shared/n8n/nodeErrors';
import { sum } from '../../shared/report/customData';
import { clock } from '../../shared/util/clock';
import { toJson } from '../../shared/util/json';
import { z } from '../../shared/util/vendor/zod';
import { balanceResource, retrieveBalance, toBalance } from '../balance';
import { staticDataNotice } from '../fields';

const LAST_RUN = 'mediaGenReport';

const amounts = z.object({ used: z.number().nullable(), remaining: z.number().nullable() });

type Amounts = z.infer<typeof amounts>;

const lastRun = z
	.object({ at: z.number(), credential: z.string(), balance: amounts, credits: amounts })
	.optional()
	.catch(undefined);

type Run = NonNullable<z.infer<typeof lastRun>>;

interface Change {
	spent: number | null;
	/** What was added to the balance; below 0 where something was taken out. `null` for a key without a limit. */
	toppedUp: number | null;
}

const UNKNOWN: Change = { spent: null, toppedUp: null };

const difference = (to: number | null, from: number | null) =>
	to === null || from === null ? null : sum([to, -from]);

const total = ({ used, remaining }: Amounts) =>
	used === null || remaining === null ? null : used + remaining;

function changeOf(before: Amounts, now: Amounts): Change {
	return {
		spent: difference(now.used, before.used),
		toppedUp: difference(total(now), total(before)),
	};
}

/** Only a refund lowers what was used, and it does not change the sum of used and remaining. */
const isOther = ({ spent, toppedUp }: Change) => spent !== null && spent < 0 && toppedUp !== 0;

const OTHER =
	'Less is used than at the last run: the key is another one, or the service has started to count again.';

const NOT_STATED =
	'The service did not state what is used. The next report counts from the run before this one.';

const OTHER_CREDENTIAL = 'The last run used another credential.';

const statesUsed = ({ balance, credits }: Run) => balance.used !== null || credits.used !== null;

function compare(before: Run | undefined, now: Run) {
	if (!before)
		return {
			balance: UNKNOWN,
			credits: UNKNOWN,
			note: 'This is the first run: there is nothing to compare with.',
		};
	if (!statesUsed(now)) return { balance: UNKNOWN, credits: UNKNOWN, note: NOT_STATED };
	if (before.credential !== now.credential)
		return { balance: UNKNOWN, credits: UNKNOWN, note: OTHER_CREDENTIAL };
	const balance = changeOf(before.balance, now.balance);
	const credits = changeOf(before.credits, now.credits);
	return isOther(balance) || isOther(credits)
		? { balance: UNKNOWN, credits: UNKNOWN, note: OTHER }
		: { balance, credits };
}

async function makeReport(context: IExecuteFunctions) {
	const record = await retrieveBalance(context);
	const data = context.getWorkflowStaticData('node');
	const before = lastRun.parse(data[LAST_RUN]);
	const now: Run = {
		at: clock.now(),
		credential: context.getNode().credentials?.mediaGenApi?.id ?? '',
		balance: { used: record.used_balance, remaining: remainingOf(record, 'balance') },
		credits: { used: record.used_credits, remaining: remainingOf(record, 'credits') },
	};
	if (!before || statesUsed(now)) data[LAST_RUN] = toJson(now);
	const { balance, credits, note } = compare(before, now);
	return {
		firstRun: before === undefined,
		since: before === undefined ? null : new Date(before.at).toISOString(),
		until: new Date(now.at).toISOString(),
		spent: balance.spent,
		spentCredits: credits.spent,
		toppedUp: balance.toppedUp,
		toppedUpCredits: credits.toppedUp,
		...(note === undefined ? {} : { note }),
		...toBalance(record),
	};
}

/** What was spent since the node's last run, in one item, by what the service counts as used (spec §1). */
export const report: Operation = {
	resource: balanceResource,
	name: 'Report',
	value: 'report',
	action: 'Report what was spent',
	description: 'Get what was spent since the last run of this node',
	fields: [staticDataNotice],
	async execute(context) {
		const result = await itemOrError(context, 0, async () => ({
			report: await makeReport(context),
		}));
		throwFirstError(context, [result]);
		if (isFailed(result)) return [[errorItem(context.getNode(), result.error, 0)]];
		const pairedItem = context.getInputData().map((_, item) => ({ item }));
		const item: INodeExecutionData = { json: toJson(result.report), pairedItem };
		return [[item]];
	},
};
