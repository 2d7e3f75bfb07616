import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { neutralUsage } from '../../shared/api/brandWords';
import { type ChatResponse, hourCacheHeader, readReply, REFUSAL } from '../../shared/api/chat';
import { costOf } from '../../shared/api/chatCost';
import { readUsage, type UsageStyle } from '../../shared/api/chatUsage';
import { createClient, type MediaGenClient } from '../../shared/api/client';
import { getConnection } from '../../shared/api/connection';
import { type ApiError, NotFoundError } from '../../shared/api/errors';
import type { Operation } from '../../shared/n8n/describe';
import {
	type FailedItem,
	forEachItem,
	isFailed,
	throwFirstError,
} from '../../shared/n8n/nodeErrors';
import { type ItemOptions, readItemOptions } from '../../shared/n8n/options';
import { checkOnlyOutput, SpendingGuard } from '../../shared/purchase/spendingGuard';
import { PurchaseRecords } from '../../shared/purchase/purchaseRecords';
import {
	dropRecords,
	type PaidItem,
	type PaidRun,
	runPaidItems,
	type Schedule,
} from '../../shared/purchase/runPaidItems';
import { traceUsed } from '../../shared/report/customData';
import { clock } from '../../shared/util/clock';
import { toJson } from '../../shared/util/json';
import { findVolatile } from '../../shared/util/volatile';
import { type ChatOptions, chatOptionsField, readChatOptions } from '../options';
import { type Answer, type ChatOutcome, isLeftOut, toOutput, usedBy } from '../output';
import { compareWithAll } from '../prefix/compare';
import {
	createFingerprinter,
	oncePerText,
	type PrefixFingerprint,
	PrefixMemory,
} from '../prefix/fingerprint';
import { prefixKeys, WarmUp } from '../prefix/warmUp';
import { warningsOf } from '../prefix/warnings';
import type { Part } from '../prompt/conversation';
import { additionalField, chatResource, promptFields } from '../prompt/fields';
import { type PreparedQuestion, prepareQuestion } from '../prompt/prepare';

/** One of the two styles of asking: where a request goes, its layout, and how its usage reads. */
export interface ChatStyle extends Pick<Operation, 'name' | 'value' | 'action' | 'description'> {
	path: string;
	headers: Record<string, string>;
	/** The fields of the body that hold the prompt. */
	toPrompt(parts: readonly Part[]): Record<string, unknown>;
	usage: UsageStyle;
}

interface ChatRun {
	context: IExecuteFunctions;
	style: ChatStyle;
	options: ChatOptions;
	client: MediaGenClient;
	signal: AbortSignal | undefined;
	guard: SpendingGuard;
}

/** A validated question, with the fingerprint of its prefix. */
interface Question extends PreparedQuestion {
	print: PrefixFingerprint;
}

/** A question that was bought. */
interface Receipt {
	question: Question;
	response: ChatResponse;
}

/**
 * Validates every item before the first request, so that a mistake in the last one does not cost what the others buy.
 * `itemOptions` is what each output item has beside the answer.
 */
async function readQuestions(context: IExecuteFunctions, options: ChatOptions) {
	const itemOptions: ItemOptions[] = [];
	const inputs = context.getInputData();
	const fingerprintOf = createFingerprinter();
	const questions = await forEachItem<Question>(context, async (itemIndex) => {
		const input = options.includeInput ? inputs[itemIndex]?.json : undefined;
		itemOptions[itemIndex] = readItemOptions(
			context.getNodeParameter('options', itemIndex, {}),
			input,
		);
		const prepared = prepareQuestion(context, itemIndex);
		return await Promise.resolve({
			...prepared,
			print: fingerprintOf(prepared.given.model, prepared.prefix),
		});
	});
	if (!options.checkOnly) throwFirstError(context, questions);
	return { questions, itemOptions };
}

function toBody(style: ChatStyle, { given, parts, additional }: Question) {
	return {
		model: given.model,
		max_tokens: given.max_tokens,
		...style.toPrompt(parts),
		...additional,
	};
}

function toPaidItem(
	{ style, options, client, signal }: ChatRun,
	question: Question,
	reference: string | undefined,
): PaidItem<Receipt> {
	const { itemIndex } = question;
	const { path } = style;
	const body = toBody(style, question);
	const purchase = { itemIndex, operation: `chat.${style.value}`, path, body };
	const headers = { ...style.headers, ...hourCacheHeader(body) };
	const timeoutMs = options.timeout * 1_000;
	const send = async (): Promise<Receipt> => {
		const response = await client.chat.create({
			path,
			headers,
			body: toJson(body),
			timeoutMs,
			deadline: clock.now() + timeoutMs,
		});
		return { question, response };
	};
	return {
		itemIndex,
		purchase,
		prepare: async () => await Promise.resolve(send),
		fromRecord: (state) =>
			state.state === 'answered' ? { question, response: state.response } : undefined,
		record: (records, { response }) => records.markAnswered(purchase, response),
		reference,
		// n8n does not save what arrives after Stop, so this line is the only trace of the purchase.
		logLine: () => (signal?.aborted ? 'question answered' : undefined),
	};
}

/** For each prefix that is not cached yet, sends one request before the others. */
function warmUpSchedule(questions: ReadonlyArray<Question | FailedItem>): Schedule<Receipt> {
	const warmUp = new WarmUp();
	const keys = new Map(
		questions.flatMap((item) => (isFailed(item) ? [] : [[item.itemIndex, prefixKeys(item.print)]])),
	);
	// The next request cannot read what a refused one wrote, so it has to write it again (cache rule 6).
	return async ({ itemIndex }, start) =>
		await warmUp.run(
			keys.get(itemIndex) ?? [],
			start,
			(end) => !isFailed(end) && readReply(end.receipt.response).stopReason !== REFUSAL,
		);
}

const hintFor = (error: ApiError) =>
	error instanceof NotFoundError
		? 'Check "Model", and the base URL in the MediaGen credential.'
		: undefined;

/** Buys the answers and reads them. */
async function askAll(
	run: ChatRun,
	records: PurchaseRecords,
	questions: ReadonlyArray<Question | FailedItem>,
	itemOptions: readonly ItemOptions[],
): Promise<ChatOutcome[]> {
	const { context, style, options, client, signal, guard } = run;
	const { concurrency, whenUnsure } = options;
	const memory = options.watchPrefix ? new PrefixMemory(context) : undefined;
	const volatileIn = oncePerText(findVolatile);
	// "Timeout" is the time for one answer: the run as a whole has no deadline.
	const deadline = { at: () => Infinity, message: '' };
	const paidRun: PaidRun = {
		context,
		client,
		records,
		guard,
		buys: 'answer',
		concurrency,
		whenUnsure,
		deadline,
		signal,
		hintFor,
	};
	const items = questions.map((item) =>
		isFailed(item) ? item : toPaidItem(run, item, itemOptions[item.itemIndex]?.reference),
	);
	const paid = await runPaidItems(
		paidRun,
		items,
		options.warmCacheFirst ? warmUpSchedule(questions) : undefined,
	);

	const readAnswer = ({ question, response }: Receipt): Answer => {
		const { itemIndex, prefix, markers, print } = question;
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
			markers,
			findVolatile: volatileIn,
		});
		return {
			itemIndex,
			...reply,
			usage,
			warnings,
			cost: usage && costOf(usage, options),
			response,
		};
	};
	const outcomes = paid.map((end) => (isFailed(end) ? end : readAnswer(end.receipt)));
	// Without an answer nothing was cached: the run before stays the one to compare with.
	memory?.keep(paid.flatMap((end) => (isFailed(end) ? [] : [end.receipt.question.print])));
	return outcomes;
}

async function execute(
	context: IExecuteFunctions,
	style: ChatStyle,
): Promise<INodeExecutionData[][]> {
	const options = readChatOptions(context);
	const { questions, itemOptions } = await readQuestions(context, options);
	const signal = context.getExecutionCancelSignal();
	const client = createClient(context, await getConnection(context), signal);
	const guard = new SpendingGuard(context, options, client);
	if (options.checkOnly) {
		const checked = questions.map((item, at) =>
			isFailed(item)
				? item
				: {
						itemIndex: item.itemIndex,
						path: style.path,
						body: toBody(style, item),
						notes: [],
						options: itemOptions[at] ?? {},
					},
		);
		return [await checkOnlyOutput(client, guard, checked)];
	}
	const records = new PurchaseRecords(context);
	try {
		const outcomes = await askAll(
			{ context, style, options, client, signal, guard },
			records,
			questions,
			itemOptions,
		);
		dropRecords(
			context,
			records,
			outcomes.filter((outcome) => !isLeftOut(outcome)),
		);
		traceUsed(context, usedBy(outcomes));
		return [toOutput(context, options, outcomes, itemOptions, guard)];
	} finally {
		records.close();
	}
}

/** Makes an operation of a style of asking (spec §8). */
export function chatOperation(style: ChatStyle): Operation {
	const { name, value, action, description } = style;
	return {
		resource: chatResource,
		name,
		value,
		action,
		description,
		fields: [...promptFields, additionalField, chatOptionsField],
		execute: async (context) => await execute(context, style),
	};
}
