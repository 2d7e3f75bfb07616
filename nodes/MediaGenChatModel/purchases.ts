import type { ISupplyDataFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { count, inputInWords, type Usage } from '../shared/api/chatUsage';
import {
	ApiError,
	asError,
	CanceledError,
	errorFromThrown,
	NotFoundError,
	RateLimitError,
	toShortText,
} from '../shared/api/errors';
import { CHECK_MODEL } from '../shared/n8n/chatFields';
import {
	asNodeError,
	isNodeError,
	mayHaveBeenBought,
	type NodeError,
} from '../shared/n8n/nodeErrors';
import { MaxTasksError, SpendingLimitError } from '../shared/purchase/notBought';
import type { SpendingGuard } from '../shared/purchase/spendingGuard';
import { Memory } from '../shared/util/memory';
import { pLimit } from '../shared/util/vendor/pLimit';
import { type AnswerParts, UnusableAnswer } from './answer/answer';

/** Marks an error as one of a sub-node: n8n passes it on unchanged, and the editor shows it at this node, not only at the agent. */
export function asSubNodeError(error: NodeError): NodeError {
	error.functionality = 'configuration-node';
	return error;
}

/** Begins the description with the message: of an error in a streamed chat, n8n shows the description alone. */
export function asStreamError(error: unknown): unknown {
	if (isNodeError(error))
		error.description = [error.message.replace(/(?<![.!?…])$/, '.'), error.description]
			.filter(Boolean)
			.join(' ');
	return error;
}

const MAYBE_BOUGHT =
	'The answer may have been bought anyway: look at the balance. This node sends a question once; "Retry On Fail" of the agent would ask again.';

/** Characters of a broken-off answer that its error shows. */
const SHOWN = 1_000;

const whatCame = (shown: string, message: string) =>
	message.includes(shown) ? [] : [`The service sent "${toShortText(shown, SHOWN)}".`];

/** How many questions are asked at once: as many as items of the other nodes by default. */
const AT_ONCE = 5;

/** By execution and node: a chain is supplied with a model for each of its items. */
const limits = new Memory<ReturnType<typeof pLimit>>(1_000);

/** The questions of one node as purchases: within its limits, each sent once, with an error that says what went wrong. */
export class Purchases {
	/** A chain may ask all its questions at once, and "Keep Balance" does not know of those in flight. */
	private readonly limit: ReturnType<typeof pLimit>;

	constructor(
		private readonly context: Pick<ISupplyDataFunctions, 'getExecutionId' | 'getNode' | 'logger'>,
		private readonly guard: SpendingGuard,
	) {
		const key = [context.getExecutionId(), context.getNode().name].join(':');
		this.limit = limits.get(key) ?? pLimit(AT_ONCE);
		limits.set(key, this.limit);
	}

	/** Sends one question, within the limits. */
	async buy<Result>(ask: () => Promise<Result>): Promise<Result> {
		return await this.limit(async () => {
			await this.guard.checkBalance();
			this.guard.reserve();
			try {
				return await ask();
			} catch (error) {
				if (error instanceof ApiError && error.sent === 'no') this.guard.release();
				throw asError(error);
			}
		});
	}

	/** The error of an answer that broke off: it names what was bought. `shown`: the text of the answer, or what could not be read. */
	brokenOff(
		thrown: unknown,
		{ text, calls }: AnswerParts,
		shown: string,
		usage: Usage | undefined,
	): NodeError {
		const error = errorFromThrown(thrown);
		const words = text.trim() === '' ? 0 : text.trim().split(/\s+/).length;
		const tools = calls.map(({ name }) => String(name)).join(', ');
		const ofCalls = calls.length > 0 ? ` and the beginning of a call of ${tools}` : '';
		const received = count(words, 'word') + ofCalls;
		const isBegun = words > 0 || calls.length > 0 || usage !== undefined;
		if (!isBegun && error.sent === 'no' && !(error instanceof CanceledError)) {
			this.guard.release();
			return this.nodeError(error);
		}
		const bills = `The service bills this question${usage ? `: ${inputInWords(usage)}, and what it has written` : ''}.`;
		const bought = [isBegun ? bills : MAYBE_BOUGHT, ...whatCame(shown, error.message)];
		const message =
			error instanceof CanceledError
				? `${error.message}, after ${received} of an answer`
				: `The answer broke off after ${received}: ${error.message}`;
		// This line is all that n8n saves of a stopped execution, and an agent shows only the message.
		this.warn(`${message}.`, ...bought);
		return asSubNodeError(
			asNodeError(this.context.getNode(), new ApiError(message, 'maybe', error.details), {
				isStopped: error instanceof CanceledError,
				context: bought.join(' '),
				hint: 'The question is not sent again by itself.',
			}),
		);
	}

	/** `text` and `usage`: of the answer, as far as it came. */
	nodeError(thrown: unknown, text = '', usage?: Usage): NodeError {
		// From `brokenOff`.
		if (isNodeError(thrown)) return thrown;
		const node = this.context.getNode();
		if (thrown instanceof UnusableAnswer) {
			const { message, hint } = thrown;
			const used = usage && `${inputInWords(usage)}, ${count(usage.output, 'output token')}`;
			const paid = `The answer was paid for${used ? `: ${used}` : ''}.`;
			const came = [paid, ...whatCame(text, message)];
			this.warn(`${message}.`, ...came);
			const description = [...came, hint].join(' ');
			return asSubNodeError(new NodeOperationError(node, message, { description }));
		}
		const error = asError(thrown);
		const isUnsure = error instanceof ApiError && error.sent === 'maybe';
		const came = whatCame((isUnsure && error.details.response) || '', error.message);
		// See `brokenOff`.
		if (isUnsure) this.warn(`${error.message}.`, MAYBE_BOUGHT, ...came);
		return asSubNodeError(
			asNodeError(node, error, {
				isStopped: error instanceof CanceledError,
				purchase: true,
				context: came.join(' '),
				hint: hintFor(error),
			}),
		);
	}

	private warn(...sentences: string[]): void {
		const { context } = this;
		const said = `"${context.getNode().name}": ${sentences.join(' ')}`;
		context.logger.warn(`MediaGen: ${said} (execution ${context.getExecutionId()})`);
	}
}

function hintFor(error: Error): string | undefined {
	if (error instanceof MaxTasksError)
		return 'Raise "Max Tasks" in the options, or lower the number of steps of the agent.';
	if (error instanceof SpendingLimitError) return error.hint;
	if (error instanceof NotFoundError) return CHECK_MODEL;
	if (error instanceof RateLimitError) return 'Raise "Timeout" in the options, or ask again later.';
	const isUnsure = error instanceof ApiError && mayHaveBeenBought(error, { buys: 'answer' });
	return isUnsure ? MAYBE_BOUGHT : undefined;
}
