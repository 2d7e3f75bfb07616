import type { IDataObject, IExecuteFunctions, INode } from 'n8n-workflow';

import type { MediaGenClient } from '../api/client';
import { ApiError, asError, CanceledError, isKeyRefused } from '../api/errors';
import { remainingOf } from '../api/balance';
import { count } from '../api/chatUsage';
import type { Deadline } from '../api/http';
import { CHECK_KEY } from '../n8n/nodeErrors';
import { buyingOptions, fieldsOf, type SpendingRules } from '../n8n/options';
import { refusal } from '../n8n/parameters';
import { isTool } from '../n8n/readOptions';
import { isLeftOut } from '../output/items';
import { sum } from '../report/customData';
import { clock } from '../util/clock';
import { objectOf } from '../util/json';
import { itemRanges } from '../util/names';
import { z } from '../util/vendor/zod';
import { KeepBalanceError, MaxTasksError, reasonOf } from './notBought';

const BOUGHT = 'mediaGenBought';

/** Places of refunded tasks, which the next attempt of the same run may take. */
const FREED = 'mediaGenFreed';

const freedPlaces = z.object({ run: z.string(), places: z.number() });

const RETRY_WITH_MORE =
	'Raise "Max Tasks" in the options, save the workflow, and retry this execution with the currently saved workflow: what it has bought is not bought again.';

const RUN_THE_REST =
	'To buy it, raise "Max Tasks" in the options and run the workflow with the items without a result only.';

const KEEP_BALANCE_HINT = 'Top up the balance, or lower "Keep Balance" in the options.';

const OTHER_UNIT = 'Choose the other unit in "Keep Balance: Unit".';

const unreadable = (
	problem: string,
	hint = 'Run the node again later, or remove "Keep Balance" from the options.',
) => new KeepBalanceError(`${problem}, and "Keep Balance" is set`, hint);

const LIMITS = ['checkOnly', 'maxTasks', 'keepBalance'] as const;

/** Throws a `NodeOperationError` for a limit of the node whose expression gives nothing: it must not count as no limit. */
function checkLimitsAreGiven(context: { getNode(): INode }, rules: SpendingRules): void {
	const options = objectOf(context.getNode().parameters.options);
	const empty = LIMITS.find((name) => options[name] !== undefined && rules[name] === undefined);
	if (empty === undefined) return;
	const panel = { context, fields: fieldsOf(buyingOptions) };
	throw refusal(panel, empty, 'is required');
}

/** Limits what a node buys in one execution (design, Cost). Throws a `NodeOperationError` for a limit without a value. */
export class SpendingGuard {
	/** n8n keeps this object with the execution's own data, through all runs of the node and through a pause. */
	private readonly context: IDataObject;

	/** Whether an error of an item fails the node. */
	private readonly stops: boolean;

	/** Places of refunded tasks that this attempt has taken. */
	private taken = 0;

	private underWay = 0;

	private readonly waiting: Array<() => void> = [];

	/** What remained when "Keep Balance" last let a purchase through, with its unit; absent for a key without a limit. */
	lastRemaining?: string;

	constructor(
		execution: Pick<IExecuteFunctions, 'getContext' | 'getNode' | 'continueOnFail'>,
		private readonly rules: SpendingRules,
		private readonly client: MediaGenClient,
		/** n8n's run index of the node, as text. */
		private readonly run = '',
	) {
		checkLimitsAreGiven(execution, rules);
		this.context = execution.getContext('node');
		this.stops = !execution.continueOnFail() && !isTool(execution.getNode());
	}

	/** Whether items beyond "Max Tasks" do not come out, instead of failing the node. An agent always gets the message. */
	get leavesOut(): boolean {
		return this.stops && this.rules.maxTasksReached === 'returnBought';
	}

	/** Names the items that are left out; `undefined` if there are none. */
	leftOutNote(outcomes: ReadonlyArray<{ itemIndex: number; state?: string }>): string | undefined {
		const items = outcomes.filter(isLeftOut).map(({ itemIndex }) => itemIndex);
		if (items.length === 0) return undefined;
		return `${itemRanges(items)}: not submitted, because "Max Tasks" is ${this.rules.maxTasks}. To buy the rest, run the workflow with these items only.`;
	}

	private get bought(): number {
		return this.counted - this.freed;
	}

	private get counted(): number {
		const count = this.context[BOUGHT];
		return typeof count === 'number' ? count : 0;
	}

	private get freed(): number {
		const { data } = freedPlaces.safeParse(this.context[FREED]);
		return data?.run === this.run ? data.places : 0;
	}

	private set freed(places: number) {
		this.context[FREED] = { run: this.run, places };
	}

	/** Why `purchases` more would exceed the limit; `undefined` if they fit. */
	private problemWith(purchases: number): string | undefined {
		const { maxTasks } = this.rules;
		if (maxTasks === undefined || this.bought + purchases <= maxTasks) return undefined;
		return `"Max Tasks" is ${maxTasks}, and this node has made ${count(this.bought, 'purchase')} in this execution`;
	}

	/** How many of `purchases` more the limits allow, and the limit that the others would exceed. Sends only read requests. */
	async check(purchases: number): Promise<{ withinLimits: number; limit?: string }> {
		const error = await this.checkBalance().catch(asError);
		if (error) return { withinLimits: 0, limit: reasonOf(error) };
		const limit = this.problemWith(purchases);
		if (limit === undefined) return { withinLimits: purchases };
		return { withinLimits: Math.max(0, (this.rules.maxTasks ?? 0) - this.bought), limit };
	}

	/** Takes a place for a purchase, in the order of the calls. Throws a `SpendingLimitError` when there is none. */
	reserve(): void {
		const problem = this.problemWith(1);
		if (problem !== undefined)
			throw new MaxTasksError(problem, this.stops ? RETRY_WITH_MORE : RUN_THE_REST);
		if (this.freed > 0) {
			this.freed -= 1;
			this.taken += 1;
		} else this.context[BOUGHT] = this.counted + 1;
	}

	/** Like `reserve`, but waits while purchases are under way: one of them may give its place back. */
	async place(): Promise<void> {
		while (this.underWay > 0 && this.problemWith(1) !== undefined)
			await new Promise<void>((wake) => this.waiting.push(wake));
		this.reserve();
		this.underWay += 1;
	}

	/** To be called when it is known what became of a purchase with a `place`. */
	settle(): void {
		this.underWay -= 1;
		for (const wake of this.waiting.splice(0)) wake();
	}

	/** Gives a place back: the purchase was not made. */
	release(): void {
		if (this.taken > 0) {
			this.taken -= 1;
			this.freed += 1;
		} else this.context[BOUGHT] = Math.max(0, this.counted - 1);
	}

	/** Frees the places of refunded tasks for the next attempt of this run. In a loop's next round they count, or the loop would not end. */
	refunded(tasks: number): void {
		this.freed += tasks;
	}

	/** Throws a `KeepBalanceError` when less than "Keep Balance" remains, or when the balance cannot be read within "Timeout". */
	async checkBalance(deadline?: Deadline): Promise<void> {
		const { keepBalance, keepBalanceUnit: unit, timeout } = this.rules;
		if (keepBalance === undefined) return;
		const within = deadline ?? clock.now() + timeout * 1_000;
		const record = await this.client.balance.retrieve(within).catch(asError);
		if (record instanceof CanceledError) throw new CanceledError();
		if (record instanceof Error) {
			const hint = record instanceof ApiError && isKeyRefused(record) ? CHECK_KEY : undefined;
			throw unreadable(`the balance could not be read (${record.message})`, hint);
		}
		if (record.unlimited_quota) return;
		const remaining = remainingOf(record, unit);
		if (remaining === null) {
			const other = remainingOf(record, unit === 'credits' ? 'balance' : 'credits');
			const hint = other === null ? undefined : OTHER_UNIT;
			throw unreadable(`the service does not state the remaining ${unit}`, hint);
		}
		const rounded = sum([remaining]);
		const amount = unit === 'credits' ? `${rounded} credits` : `${rounded}`;
		const problem = `the remaining balance is ${amount}, and "Keep Balance" is ${keepBalance}`;
		if (rounded < keepBalance) throw new KeepBalanceError(problem, KEEP_BALANCE_HINT);
		this.lastRemaining = amount;
	}
}
