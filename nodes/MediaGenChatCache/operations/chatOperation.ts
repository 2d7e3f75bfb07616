import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { neutralUsage } from '../../shared/api/brandWords';
import {
	type ChatEndpoint,
	chatRequest,
	type ChatResponse,
	isRefused,
	markersIn,
	readReply,
} from '../../shared/api/chat';
import { costOf } from '../../shared/api/chatCost';
import { readUsage } from '../../shared/api/chatUsage';
import { openClient } from '../../shared/api/client';
import { NotFoundError, shortResponse, TimeoutError } from '../../shared/api/errors';
import { CHECK_MODEL } from '../../shared/n8n/chatFields';
import type { Operation } from '../../shared/n8n/describe';
import { throwFirstError } from '../../shared/n8n/failedItems';
import { firstItemOf, readItemOptions, readSharedOptions } from '../../shared/n8n/readOptions';
import { isLeftOut, type UnboughtItem } from '../../shared/output/items';
import { checkOnlyOutput } from '../../shared/purchase/checkOnly';
import { withWhatIsLeft } from '../../shared/purchase/earlierPurchases';
import { PurchaseRecords } from '../../shared/purchase/purchaseRecords';
import {
	dropRecords,
	lineOf,
	type PaidRun,
	readItems,
	type ReadyItem,
	runPaidItems,
} from '../../shared/purchase/runPaidItems';
import { SpendingGuard } from '../../shared/purchase/spendingGuard';
import { traceUsed } from '../../shared/report/customData';
import { clock } from '../../shared/util/clock';
import { findVolatile } from '../../shared/util/volatile';
import { type ChatOptions, chatOptions, chatOptionsField, promptFields } from '../fields';
import { type ChatOutcome, toOutput, usedBy } from '../output';
import {
	compareWithAll,
	createFingerprinter,
	oncePerText,
	type PrefixFingerprint,
	prefixKeys,
	PrefixMemory,
} from '../prefix/fingerprint';
import { WarmUp } from '../prefix/warmUp';
import { warningsOf } from '../prefix/warnings';
import { type Part, prepareQuestion } from '../prompt/conversation';

interface ChatStyle
	extends ChatEndpoint, Pick<Operation, 'name' | 'value' | 'action' | 'description'> {
	toPrompt: (parts: readonly Part[]) => Record<string, unknown>;
}

interface ChatRun extends Pick<PaidRun<never, never>, 'client' | 'signal' | 'guard' | 'records'> {
	context: IExecuteFunctions;
	style: ChatStyle;
	options: ChatOptions;
}

interface Question extends ReadyItem {
	/** The parts up to the last marked one. */
	prefix: Part[];
	print: PrefixFingerprint;
}

async function readQuestions(
	context: IExecuteFunctions,
	style: ChatStyle,
	{ includeInput }: ChatOptions,
): Promise<Array<Question | UnboughtItem>> {
	const inputs = context.getInputData();
	const fingerprintOf = createFingerprinter();
	return await readItems(context, (itemIndex) => {
		const collection = context.getNodeParameter('options', itemIndex, {});
		const { model, prefix, body } = prepareQuestion(context, itemIndex, style.toPrompt);
		return {
			itemIndex,
			state: 'ready' as const,
			notes: [],
			options: readItemOptions(collection, includeInput ? inputs[itemIndex]?.json : undefined),
			purchase: { itemIndex, operation: `chat.${style.value}`, path: style.path, body },
			prefix,
			print: fingerprintOf(model, prefix),
		};
	});
}

const answeredWith = (response: ChatResponse) =>
	`question answered with ${shortResponse(response)}`;

/** Milliseconds after which an answer that does not come is late, or half its time limit if that is shorter. */
const LATE_AFTER_MS = 30_000;

/** After so many late answers in a row that did not come, the questions that wait for the same blocks are sent at once. */
const MOST_UNANSWERED = 2;

async function askAll(
	run: ChatRun,
	questions: ReadonlyArray<Question | UnboughtItem>,
): Promise<ChatOutcome[]> {
	const { context, style, options, client, signal } = run;
	const timeoutMs = options.timeout * 1_000;
	const memory = options.watchPrefix ? new PrefixMemory(context) : undefined;
	const volatileIn = oncePerText(findVolatile);
	const warmUp = new WarmUp();
	const sent = new Set<number>();
	const late = new Set<number>();
	/** Late answers in a row that did not come. */
	let unanswered = 0;
	const isRunAgain = signal?.aborted === true;
	const paidRun: PaidRun<Question, ChatResponse> = {
		...run,
		buys: 'answer',
		prepare:
			({ itemIndex, purchase: { body } }) =>
			async () => {
				sent.add(itemIndex);
				const lateAt = clock.now() + Math.min(timeoutMs / 2, LATE_AFTER_MS);
				return await client.chat
					.create(chatRequest(style, body, timeoutMs))
					.catch((error: unknown) => {
						if (error instanceof TimeoutError || clock.now() >= lateAt) late.add(itemIndex);
						throw error;
					});
			},
		fromRecord: (state) => (state.state === 'answered' ? state.response : undefined),
		toRecord: (response) => ({ state: 'answered', response }),
		// n8n does not save what arrives after a cancel, so this line is the only trace of the purchase.
		logLine: (response) => (signal?.aborted ? answeredWith(response) : undefined),
		hintFor: (error) => (error instanceof NotFoundError ? CHECK_MODEL : undefined),
		// For each prefix that is not cached yet, one request is sent before the others. The next one cannot read what a refused one
		// wrote, so it has to write it again (cache rule 6). What an earlier attempt wrote may have expired. A service that was
		// waited for in vain twice may be for all, such as under a rate limit: one by one, that takes a time limit each.
		schedule: async (item, start) => {
			const keys = options.warmCacheFirst ? prefixKeys(item.print) : [];
			return await warmUp.run(keys, start, (end) => {
				if (!sent.has(end.itemIndex)) return false;
				if (late.has(end.itemIndex)) return ++unanswered >= MOST_UNANSWERED;
				unanswered = 0;
				return end.state === 'ready' && !isRefused(readReply(end.receipt));
			});
		},
	};
	const paid = await runPaidItems(paidRun, questions);
	const isCanceled = signal?.aborted === true;
	// "Retry On Fail" runs the node again in a canceled execution.
	if (isCanceled && !isRunAgain)
		for (const item of paid)
			if (item.state === 'ready')
				context.logger.info(lineOf(run, item, answeredWith(item.receipt)));

	const outcomes = paid.map((item): ChatOutcome => {
		if (item.state !== 'ready') return item;
		const { itemIndex, notes, purchase, prefix, print, receipt: response } = item;
		const reply = readReply(response);
		const usage =
			reply.usage &&
			readUsage(neutralUsage(reply.usage, client.connection.brandWords), style.usage);
		const comparison = memory && compareWithAll(memory.lastRun, print);
		const warnings = warningsOf({
			...reply,
			prefix,
			comparison,
			usage,
			markers: markersIn(purchase.body).length,
			findVolatile: volatileIn,
		});
		return {
			itemIndex,
			options: item.options,
			...reply,
			usage,
			warnings: [...notes, ...warnings],
			cost: costOf(usage, options),
			response,
		};
	});
	// Without an answer nothing was cached: the next run is still compared with the run before. One in flight will be.
	const isAnswered = (at: number, itemIndex: number) =>
		paid[at]?.state === 'ready' || (isCanceled && sent.has(itemIndex));
	memory?.keep(
		questions.flatMap((item, at) =>
			item.state === 'ready' && isAnswered(at, item.itemIndex) ? [item.print] : [],
		),
	);
	return outcomes;
}

async function execute(
	context: IExecuteFunctions,
	style: ChatStyle,
): Promise<INodeExecutionData[][]> {
	const records = new PurchaseRecords(context);
	try {
		const options = readSharedOptions(firstItemOf(context), chatOptions);
		const questions = await readQuestions(context, style, options);
		if (!options.checkOnly) throwFirstError(context, questions);
		const signal = context.getExecutionCancelSignal();
		const client = await openClient(context, signal);
		const guard = new SpendingGuard(context, options, client);
		if (options.checkOnly)
			return [await checkOnlyOutput(context, client, guard, questions, ({ purchase }) => purchase)];
		const run = { context, style, options, client, signal, guard, records };
		const outcomes = await askAll(run, questions);
		dropRecords(
			context,
			records,
			outcomes.filter((item) => !isLeftOut(item)),
		);
		traceUsed(context, usedBy(outcomes));
		return [toOutput(context, options, outcomes, guard)];
	} catch (error) {
		throw withWhatIsLeft(context.getNode(), error, records);
	} finally {
		records.close();
	}
}

export function chatOperation(style: ChatStyle): Operation {
	return {
		...style,
		resource: { name: 'Chat', value: 'chat' },
		fields: [...promptFields, chatOptionsField],
		execute: async (context) => await execute(context, style),
	};
}
