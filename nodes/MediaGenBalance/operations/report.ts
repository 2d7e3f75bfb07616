import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { remainingOf } from '../../shared/api/balance';
import type { Operation } from '../../shared/n8n/describe';
import { itemOrError, toOutputItems } from '../../shared/n8n/failedItems';
import { sum } from '../../shared/report/customData';
import { clock } from '../../shared/util/clock';
import { toJson } from '../../shared/util/json';
import { z } from '../../shared/util/vendor/zod';
import { balanceResource, retrieveBalance, staticDataNotice, toBalance } from '../balance';

const LAST_RUN = 'mediaGenReport';

const amounts = z.object({ used: z.number().nullable(), remaining: z.number().nullable() });

type Amounts = z.infer<typeof amounts>;

const run = z.object({
	at: z.number(),
	credential: z.string(),
	balance: amounts,
	credits: amounts,
});

type Run = z.infer<typeof run>;

const UNKNOWN = { spent: null, toppedUp: null };

const difference = (to: number | null, from: number | null) =>
	to === null || from === null ? null : sum([to, -from]);

const total = ({ used, remaining }: Amounts) =>
	used === null || remaining === null ? null : used + remaining;

/** Credits are whole numbers. Used and remaining credits are each rounded, so their sum is off by at most one. */
const CREDITS_OFF_BY = 1;

/** @param offBy how much the sum of used and remaining changes by rounding alone */
function changeOf(before: Amounts, now: Amounts, offBy = 0) {
	const toppedUp = difference(total(now), total(before));
	return {
		spent: difference(now.used, before.used),
		/** What was added to the balance; below 0 where something was taken out. `null` for a key without a limit. */
		toppedUp: toppedUp !== null && Math.abs(toppedUp) <= offBy ? 0 : toppedUp,
	};
}

/** Only a refund lowers what was used. It does not change the sum of used and remaining, unless a top-up comes with it. */
function isOther(before: Amounts, now: Amounts, offBy?: number): boolean {
	const { spent, toppedUp } = changeOf(before, now, offBy);
	const isUnlimited = before.remaining === null && now.remaining === null;
	return spent !== null && spent < 0 && toppedUp !== 0 && !isUnlimited;
}

const statesUsed = ({ balance, credits }: Run) => balance.used !== null || credits.used !== null;

function problemOf(before: Run | undefined, now: Run): string | undefined {
	if (!before) return 'This is the first run: there is nothing to compare with.';
	if (!statesUsed(now))
		return 'The service did not state what is used. The next report counts from the run before this one.';
	if (before.credential !== now.credential) return 'The last run used another credential.';
	return isOther(before.balance, now.balance) ||
		isOther(before.credits, now.credits, CREDITS_OFF_BY)
		? 'Less is used than at the last run: the key is another one, the service has started to count again, or a refund and a top-up came together.'
		: undefined;
}

async function makeReport(context: IExecuteFunctions) {
	const record = await retrieveBalance(context);
	const data = context.getWorkflowStaticData('node');
	const before = run.safeParse(data[LAST_RUN]).data;
	const now: Run = {
		at: clock.now(),
		credential: context.getNode().credentials?.mediaGenApi?.id ?? '',
		balance: { used: record.used_balance, remaining: remainingOf(record, 'balance') },
		credits: { used: record.used_credits, remaining: remainingOf(record, 'credits') },
	};
	if (!before || statesUsed(now)) data[LAST_RUN] = toJson(now);
	const note = problemOf(before, now);
	const compared = note === undefined ? before : undefined;
	const balance = compared ? changeOf(compared.balance, now.balance) : UNKNOWN;
	const credits = compared ? changeOf(compared.credits, now.credits, CREDITS_OFF_BY) : UNKNOWN;
	return {
		firstRun: before === undefined,
		since: before === undefined ? null : new Date(before.at).toISOString(),
		until: new Date(now.at).toISOString(),
		spent: balance.spent,
		spentCredits: credits.spent,
		toppedUp: balance.toppedUp,
		toppedUpCredits: credits.toppedUp,
		note,
		...toBalance(record),
	};
}

/** Reports in one item what was spent since the node's last run, from what the service counts as used (spec §1). */
export const report: Operation = {
	resource: balanceResource,
	name: 'Report',
	value: 'report',
	action: 'Report what was spent',
	description: 'Get what was spent since the last run of this node',
	fields: [staticDataNotice],
	async execute(context) {
		const pairedItem = context.getInputData().map((_, item) => ({ item }));
		const result = await itemOrError<INodeExecutionData>(context, 0, async () => ({
			json: toJson(await makeReport(context)),
			pairedItem,
		}));
		return [toOutputItems(context, [result])];
	},
};
