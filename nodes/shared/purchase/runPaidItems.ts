import type { IExecuteFunctions } from 'n8n-workflow';

import type { MediaGenClient } from '../api/client';
import {
	answerInWords,
	ApiError,
	asError,
	CanceledError,
	InsufficientBalanceError,
	isKeyRefused,
	TimeoutError,
} from '../api/errors';
import { forEachItem, isFailed } from '../n8n/failedItems';
import { asNodeError, type NodeError } from '../n8n/nodeErrors';
import type { RunOptions } from '../n8n/options';
import { optionsOfFailedItem } from '../n8n/readOptions';
import { type BuyingItem, fatalItem, rejected, type UnboughtItem } from '../output/items';
import { clock } from '../util/clock';
import { rowOf } from '../util/names';
import { pLimit } from '../util/vendor/pLimit';
import { sayWhatIsLeft } from './earlierPurchases';
import {
	KeepBalanceError,
	MaxTasksError,
	PendingPurchaseError,
	SpendingLimitError,
} from './notBought';
import type { Purchase, PurchaseRecords, PurchaseState } from './purchaseRecords';
import type { SpendingGuard } from './spendingGuard';

export interface ReadyItem extends BuyingItem {
	state: 'ready';
	purchase: Purchase;
}

/** An item with what the service answered, now or to an earlier attempt. */
type PaidItem<Item, Receipt> = (Item & { receipt: Receipt }) | UnboughtItem;

export interface PaidRun<Item extends ReadyItem, Receipt> {
	context: Pick<IExecuteFunctions, 'getNode' | 'getExecutionId' | 'getWorkflow' | 'logger'>;
	client: MediaGenClient;
	records: PurchaseRecords;
	guard: SpendingGuard;
	buys: 'task' | 'answer';
	options: Pick<RunOptions, 'concurrency' | 'whenUnsure'>;
	/** Nothing is bought after it. */
	deadline?: {
		/** Milliseconds since 1970. */
		at: () => number;
		message: () => string;
	};
	signal: AbortSignal | undefined;
	/** What an earlier execution bought for the item: then nothing is bought. */
	existing?(item: Item): Receipt | undefined;
	/** Does what costs nothing, such as uploads. Returns the function that sends the paid request. */
	prepare(item: Item): (() => Promise<Receipt>) | Promise<() => Promise<Receipt>>;
	/** Reads what an earlier attempt left; `undefined` if that is of no use. */
	fromRecord(state: PurchaseState, item: Item): Receipt | undefined;
	toRecord(receipt: Receipt): PurchaseState;
	/** What n8n's log says of the purchase; `undefined` for nothing. */
	logLine(receipt: Receipt): string | undefined;
	hintFor?(error: Error): string | undefined;
	/** Runs an item's job when it may begin. */
	schedule?(
		item: Item,
		start: () => Promise<PaidItem<Item, Receipt>>,
	): Promise<PaidItem<Item, Receipt>>;
}

/** Errors that every further item of the same key would get too. */
const stopsAll = (error: ApiError) =>
	isKeyRefused(error) ||
	error instanceof InsufficientBalanceError ||
	error instanceof CanceledError ||
	error instanceof KeepBalanceError;

/** What is left, as a sentence; `undefined` if it cannot be read. */
async function remainingBalance(client: MediaGenClient): Promise<string | undefined> {
	try {
		const record = await client.balance.retrieve();
		if (record.unlimited_quota)
			return 'The key has no limit of its own: what remains is that of its account.';
		const { remain_balance: balance, remain_credits: credits } = record;
		return `Remaining: ${balance ?? 'unknown'} (${credits ?? 'unknown'} credits).`;
	} catch {
		return undefined;
	}
}

/** A line of n8n's log, with everything that identifies the purchase: other executions write there too. */
export function lineOf(
	{ context, client }: Pick<PaidRun<never, never>, 'context' | 'client'>,
	{ itemIndex, options: { reference } }: BuyingItem,
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
	const line = `MediaGen: ${words} (${places.join(', ')})`;
	return client.connection.redactText(line.replace(/[\r\n]+/g, ' '));
}

function throwIfLate(deadline: PaidRun<ReadyItem, unknown>['deadline']): void {
	if (deadline && clock.now() >= deadline.at()) throw new TimeoutError(deadline.message());
}

/** How far an attempt has come. Nothing was bought by one that failed before it was sent, or that was refused. */
interface Attempt {
	stage: 'not sent' | 'preparing' | 'sent';
	/** Of an earlier attempt that may have bought the item. */
	pending?: Extract<PurchaseState, { state: 'pending' }>;
}

const hasChanged = (buys: 'task' | 'answer') =>
	`An expression, such as one with $now, gave another request in this attempt. This is the ${buys} that an earlier attempt bought.`;

async function buy<Item extends ReadyItem, Receipt>(
	run: PaidRun<Item, Receipt>,
	item: Item,
	attempt: Attempt,
	throwIfStopped: () => void,
): Promise<Item & { receipt: Receipt }> {
	const existing = run.existing?.(item);
	if (existing !== undefined) return { ...item, receipt: existing };
	const { records, guard } = run;
	if (records.forgetRefused(item.purchase)) guard.release();
	const state = records.claim(item.purchase);
	const bought = state && run.fromRecord(state, item);
	if (bought !== undefined) {
		const notes = state?.hasChanged ? [...item.notes, hasChanged(run.buys)] : item.notes;
		return { ...item, notes, receipt: bought };
	}
	if (state?.state === 'pending') {
		attempt.pending = state;
		if (run.options.whenUnsure === 'doNotSend')
			throw new PendingPurchaseError(run.buys, state.response);
	}
	throwIfStopped();

	// In the order of the items.
	await guard.place();
	try {
		throwIfStopped();
		throwIfLate(run.deadline);
		await guard.checkBalance(run.deadline?.at);
		attempt.stage = 'preparing';
		const send = await run.prepare(item);
		attempt.stage = 'not sent';
		throwIfStopped();
		if (run.signal?.aborted) throw new CanceledError();
		throwIfLate(run.deadline);
		records.mark(item.purchase, { state: 'pending' });
		attempt.stage = 'sent';
		const receipt = await send();
		records.mark(item.purchase, run.toRecord(receipt));
		const words = run.logLine(receipt);
		const late = run.signal?.aborted ? ' after the execution was canceled' : '';
		if (words !== undefined) run.context.logger.info(lineOf(run, item, words + late));
		return { ...item, receipt };
	} catch (error) {
		if (attempt.stage === 'sent' && error instanceof ApiError && error.sent === 'no') {
			attempt.stage = 'not sent';
			if (attempt.pending) records.mark(item.purchase, attempt.pending);
			else records.drop(item.itemIndex);
			const words = `the ${run.buys} was not bought: ${error.message}`;
			if (run.signal?.aborted) run.context.logger.info(lineOf(run, item, words));
		}
		if (attempt.stage === 'sent') {
			const response = error instanceof ApiError ? error.details.response : undefined;
			if (response !== undefined) records.mark(item.purchase, { state: 'pending', response });
			// n8n saves nothing of a run that is stopped, and an error names one item only.
			const words = `no clear answer: the ${run.buys} may have been bought`;
			run.context.logger.warn(lineOf(run, item, words + answerInWords(response)));
		} else guard.release();
		throw asError(error);
	} finally {
		guard.settle();
	}
}

/** Reads each item before the first is bought, so that a mistake in the last does not cost what the others buy. */
export async function readItems<Item extends object>(
	context: IExecuteFunctions,
	read: (itemIndex: number) => Item | Promise<Item>,
): Promise<Array<Item | UnboughtItem>> {
	const items = await forEachItem(context, read);
	return items.map((item) => {
		if (!isFailed(item)) return item;
		const { itemIndex, error } = item;
		return rejected({ itemIndex, options: optionsOfFailedItem(context, itemIndex) }, error);
	});
}

/**
 * Buys every item that has not failed yet, with at most `concurrency` requests in flight, and returns what became of each item,
 * in order. What an earlier attempt of this execution bought for the same item and request is used again. After an error that
 * every other item would get too (401, 402, 403, cancel, "Keep Balance"), nothing more is sent.
 */
export async function runPaidItems<Item extends ReadyItem, Receipt>(
	run: PaidRun<Item, Receipt>,
	items: ReadonlyArray<Item | UnboughtItem>,
): Promise<Array<PaidItem<Item, Receipt>>> {
	const node = run.context.getNode();
	const limit = pLimit(run.options.concurrency);
	// n8n saves what the node has come to when it cancels, and waits for no answer. What was not sent ends first, by itself.
	const canceled = new Promise<never>((_, reject) =>
		run.signal?.addEventListener('abort', () => {
			void clock.sleep(1).then(() => reject(new CanceledError()));
		}),
	);
	canceled.catch(() => undefined);
	let stopped: ApiError | undefined;
	// All items after a 402 state the balance, and it is the same for all.
	let balance: Promise<string | undefined> | undefined;

	async function runItem(item: Item): Promise<PaidItem<Item, Receipt>> {
		const { itemIndex, notes, options } = item;
		const attempt: Attempt = { stage: 'not sent' };
		try {
			const bought = buy(run, item, attempt, () => {
				if (stopped) throw stopped;
			});
			return await Promise.race([bought, canceled]);
		} catch (thrown) {
			const reason = asError(thrown);
			if (reason instanceof ApiError && stopsAll(reason)) stopped ??= reason;
			const { stage, pending } = attempt;
			const isCanceled = reason instanceof CanceledError;
			const isUnsure = stage === 'sent' || (pending !== undefined && !isCanceled);
			// Why an item was not sent again does not say what the earlier attempt bought.
			const isUnsaid = reason instanceof ApiError && !(reason instanceof PendingPurchaseError);
			const error =
				isUnsure && stage !== 'sent' && isUnsaid
					? new PendingPurchaseError(run.buys, pending?.response, reason)
					: reason;
			const context =
				stage === 'preparing' && !pending && !isCanceled
					? 'A file could not be uploaded, so nothing was bought.'
					: reason instanceof InsufficientBalanceError
						? await (balance ??= remainingBalance(run.client))
						: isCanceled && isUnsure
							? `The ${run.buys} may have been bought anyway: n8n's log says so once the service has answered.`
							: undefined;
			const isLeftOut = error instanceof MaxTasksError && run.guard.leavesOut;
			return {
				itemIndex,
				state: isLeftOut ? 'leftOut' : isUnsure ? 'unsure' : 'rejected',
				error: asNodeError(node, error, {
					itemIndex,
					purchase: true,
					buys: isUnsure ? run.buys : undefined,
					context,
					hint: error instanceof SpendingLimitError ? error.hint : run.hintFor?.(error),
				}),
				notes,
				options,
			};
		}
	}

	return await Promise.all(
		items.map(async (item) => {
			if (item.state !== 'ready') return item;
			const start = async () => await limit(async () => await runItem(item));
			return await (run.schedule?.(item, start) ?? start());
		}),
	);
}

/** Whether "Retry On Fail" runs the node again at once: its first item has an error, or the task in it if the node did not wait. */
export const isRunAgain = (
	context: Pick<IExecuteFunctions, 'getNode'>,
	first: { error?: unknown; task?: { error?: unknown } } | undefined,
): boolean =>
	context.getNode().retryOnFail === true && (first?.error ?? first?.task?.error) !== undefined;

/** Drops the records of items that came out, unless the node may run again, and of refunds. The others are kept, and named in the errors. */
export function dropRecords<Ended extends { itemIndex: number; error?: NodeError }>(
	context: IExecuteFunctions,
	records: PurchaseRecords,
	outcomes: readonly Ended[],
	isRefunded: (outcome: Ended) => boolean = () => false,
): void {
	const isFatal = fatalItem(context, outcomes) !== undefined;
	const keepAll = isFatal || isRunAgain(context, outcomes[0]);
	for (const outcome of outcomes) {
		if ((outcome.error === undefined && !keepAll) || isRefunded(outcome))
			records.drop(outcome.itemIndex);
		if (outcome.error) outcome.error.context.recordKey = records.recordKey(outcome.itemIndex);
	}
	// The error of the whole run says it, too.
	if (outcomes.some(isFailed) && !isFatal) sayWhatIsLeft(records, outcomes);
}
