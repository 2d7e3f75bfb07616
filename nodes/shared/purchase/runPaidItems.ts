import type { IExecuteFunctions, INode, Logger } from 'n8n-workflow';

import type { MediaGenClient } from '../api/client';
import {
	ApiError,
	asError,
	AuthenticationError,
	CanceledError,
	InsufficientBalanceError,
	PermissionError,
	TimeoutError,
} from '../api/errors';
import {
	asNodeError,
	type FailedItem,
	isFailed,
	nameRecord,
	type NodeError,
	rowOf,
} from '../n8n/nodeErrors';
import type { WhenUnsure } from '../n8n/options';
import { clock } from '../util/clock';
import { pLimit } from '../util/vendor/pLimit';
import type { Purchase, PurchaseRecords, PurchaseState } from './purchaseRecords';
import {
	KeepBalanceError,
	MaxTasksError,
	type SpendingGuard,
	SpendingLimitError,
} from './spendingGuard';

/** An item that is checked and ready to be bought. */
export interface PaidItem<Receipt> {
	itemIndex: number;
	purchase: Purchase;
	/** Does what costs nothing, such as uploads. Returns the function that sends the paid request. */
	prepare(): Promise<() => Promise<Receipt>>;
	/** Reads what an earlier attempt left; `undefined` where that is nothing to use. */
	fromRecord(state: PurchaseState): Receipt | undefined;
	/** Records what the service answered. */
	record(records: PurchaseRecords, receipt: Receipt): void;
	/** The user's own text for the item. */
	reference: string | undefined;
	/** What n8n's log says of the purchase; `undefined` for nothing. */
	logLine(receipt: Receipt): string | undefined;
}

/** Nothing is bought after it. */
export interface BuyingDeadline {
	/** Milliseconds since 1970. */
	at(): number;
	/** What is said of an item that it overtook. */
	message: string;
}

export interface PaidRun {
	context: {
		getNode(): INode;
		getExecutionId(): string;
		getWorkflow(): { id?: string; name?: string };
		logger: Logger;
	};
	client: MediaGenClient;
	records: PurchaseRecords;
	guard: SpendingGuard;
	/** What each item buys. */
	buys: 'task' | 'answer';
	concurrency: number;
	whenUnsure: WhenUnsure;
	deadline: BuyingDeadline;
	signal: AbortSignal | undefined;
	/** Replaces the usual hint of an error. */
	hintFor?(error: ApiError): string | undefined;
}

/** An item that was bought, now or by an earlier attempt. */
export interface PaidOutcome<Receipt> {
	itemIndex: number;
	receipt: Receipt;
}

/** An earlier attempt sent this purchase and never learned its result. */
export class PendingPurchaseError extends ApiError {
	constructor(buys: 'task' | 'answer') {
		super(
			`The ${buys} may have been bought by an earlier attempt, so the request was not sent again`,
			'maybe',
		);
	}
}

/** Errors that every further item of the same key would get too. */
function stopsAll(error: ApiError): boolean {
	return [
		AuthenticationError,
		InsufficientBalanceError,
		PermissionError,
		CanceledError,
		KeepBalanceError,
	].some((ErrorClass) => error instanceof ErrorClass);
}

/** What is left, as a sentence; `undefined` if it cannot be read. */
async function remainingBalance(client: MediaGenClient): Promise<string | undefined> {
	try {
		const { remain_balance: balance, remain_credits: credits } = await client.balance.retrieve();
		return `Remaining: ${balance ?? 'unknown'} (${credits ?? 'unknown'} credits).`;
	} catch {
		return undefined;
	}
}

/** A line of n8n's log, with all that leads from it to the purchase: other executions write there too. */
function lineOf(
	{ context, client }: PaidRun,
	{ itemIndex, reference }: Pick<PaidItem<unknown>, 'itemIndex' | 'reference'>,
	words: string,
): string {
	const { id, name } = context.getWorkflow();
	const places = [
		`execution ${context.getExecutionId()}`,
		`workflow ${id ?? ''} ${JSON.stringify(name ?? '')}`,
		`node ${JSON.stringify(context.getNode().name)}`,
		rowOf(itemIndex),
		...(reference === undefined ? [] : [`reference ${JSON.stringify(reference)}`]),
	];
	return client.connection.redactText(`MediaGen: ${words} (${places.join(', ')})`);
}

/** How far an attempt has come. Nothing was bought by one that failed before it was sent. */
interface Attempt {
	stage: 'not sent' | 'preparing' | 'sent';
}

async function buy<Receipt>(
	run: PaidRun,
	item: PaidItem<Receipt>,
	attempt: Attempt,
	throwIfStopped: () => void,
): Promise<Receipt> {
	const { records, guard } = run;
	const state = records.claim(item.purchase);
	const bought = state && item.fromRecord(state);
	if (bought !== undefined) return bought;
	if (state?.state === 'pending' && run.whenUnsure === 'doNotSend')
		throw new PendingPurchaseError(run.buys);
	throwIfStopped();

	// In the order of the items, before anything is awaited.
	guard.reserve();
	try {
		await guard.checkBalance();
		attempt.stage = 'preparing';
		const send = await item.prepare();
		attempt.stage = 'not sent';
		throwIfStopped();
		if (run.signal?.aborted) throw new CanceledError();
		if (clock.now() >= run.deadline.at()) throw new TimeoutError(run.deadline.message);
		records.markPending(item.purchase);
		attempt.stage = 'sent';
		const receipt = await send();
		item.record(records, receipt);
		const words = item.logLine(receipt);
		const late = run.signal?.aborted ? ' after the execution was canceled' : '';
		if (words !== undefined) run.context.logger.info(lineOf(run, item, words + late));
		return receipt;
	} catch (error) {
		const wasSent = attempt.stage === 'sent';
		const rejected = error instanceof ApiError && error.sent === 'no';
		// n8n saves nothing of a run that is stopped, and an error names one item only.
		if (wasSent && !rejected)
			run.context.logger.warn(
				lineOf(run, item, `no clear answer: the ${run.buys} may have been bought`),
			);
		if (wasSent && rejected) records.drop(item.itemIndex);
		if (!wasSent || rejected) guard.release();
		throw asError(error);
	}
}

type Outcome<Receipt> = PaidOutcome<Receipt> | FailedItem;

/** What stands before the hint of an item's error. */
async function contextOf(
	{ client }: PaidRun,
	{ stage }: Attempt,
	error: ApiError,
): Promise<string | undefined> {
	if (stage === 'preparing' && !(error instanceof CanceledError))
		return 'A file could not be uploaded, so nothing was bought.';
	return error instanceof InsufficientBalanceError ? await remainingBalance(client) : undefined;
}

/** Runs an item's job when it may begin. */
export type Schedule<Receipt> = (
	item: PaidItem<Receipt>,
	start: () => Promise<Outcome<Receipt>>,
) => Promise<Outcome<Receipt>>;

/**
 * Buys every item that has not failed yet, with at most `concurrency` requests in flight, and returns what became of each item,
 * in order. What an earlier attempt of this execution bought for the same item and request is used again. After an error that
 * every other item would get too (401, 402, 403, cancel, "Keep Balance"), nothing more is sent.
 */
export async function runPaidItems<Receipt>(
	run: PaidRun,
	items: ReadonlyArray<PaidItem<Receipt> | FailedItem>,
	schedule: Schedule<Receipt> = async (_, start) => await start(),
): Promise<Array<Outcome<Receipt>>> {
	const node = run.context.getNode();
	const limit = pLimit(run.concurrency);
	let stopped: ApiError | undefined;

	async function runItem(item: PaidItem<Receipt>): Promise<Outcome<Receipt>> {
		const { itemIndex } = item;
		const attempt: Attempt = { stage: 'not sent' };
		try {
			const receipt = await buy(run, item, attempt, () => {
				if (stopped) throw stopped;
			});
			return { itemIndex, receipt };
		} catch (error) {
			if (!(error instanceof ApiError))
				return { itemIndex, error: asNodeError(node, error, { itemIndex }) };
			if (stopsAll(error)) stopped ??= error;
			const context = await contextOf(run, attempt, error);
			const buys =
				attempt.stage === 'sent' || error instanceof PendingPurchaseError ? run.buys : undefined;
			const hint = error instanceof SpendingLimitError ? error.hint : run.hintFor?.(error);
			const leftOut = error instanceof MaxTasksError && run.guard.leavesOut;
			return {
				itemIndex,
				error: asNodeError(node, error, { itemIndex, purchase: true, buys, context, hint }),
				leftOut,
			};
		}
	}

	return await Promise.all(
		items.map(async (item) =>
			isFailed(item)
				? item
				: await schedule(item, async () => await limit(async () => await runItem(item))),
		),
	);
}

/** "Retry On Fail" runs a node again that threw, and one whose first item has an error. */
function mayRunAgain(
	context: IExecuteFunctions,
	outcomes: ReadonlyArray<{ error?: NodeError }>,
): boolean {
	if (outcomes.some(isFailed) && !context.continueOnFail()) return true;
	return context.getNode().retryOnFail === true && outcomes[0]?.error !== undefined;
}

/**
 * Drops the records of items that came out, unless the node may run again, and of refunded purchases. The others are kept for
 * the next attempt, and named in the errors of their items.
 */
export function dropRecords<Ended extends { itemIndex: number; error?: NodeError }>(
	context: IExecuteFunctions,
	records: PurchaseRecords,
	outcomes: readonly Ended[],
	isRefunded: (outcome: Ended) => boolean = () => false,
): void {
	const keepAll = mayRunAgain(context, outcomes);
	for (const outcome of outcomes) {
		if (outcome.error === undefined && !keepAll) records.complete(outcome.itemIndex);
		else if (isRefunded(outcome)) records.drop(outcome.itemIndex);
		if (outcome.error) nameRecord(outcome.error, records.recordKey(outcome.itemIndex));
	}
}
