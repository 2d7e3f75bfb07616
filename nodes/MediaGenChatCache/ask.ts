import type { IExecuteFunctions } from 'n8n-workflow';

import { type ChatAnswer, chatAnswer, REFUSAL } from '../shared/api/chat';
import { neutralUsage } from '../shared/api/brandWords';
import { ServiceFault } from '../shared/api/faults';
import { toJson } from '../shared/output/items';
import { remainingBalance } from '../shared/tasks/balance';
import type { SubmissionLedger } from '../shared/purchase/purchaseRecords';
import type { ServiceClient } from '../shared/api/client';
import { clock } from '../shared/util/clock';
import { asNodeError } from '../shared/n8n/nodeErrors';
import { pLimit } from '../shared/util/vendor/pLimit';
import { z } from '../shared/util/vendor/zod';
import { chatError } from './chatError';
import type { ChatStyle } from './chatOperation';
import { costOf } from './cost';
import { markersIn } from './extraBody';
import type { ChatOptions } from './options';
import type { Answer, Outcome } from './outcome';
import { compareWithAll } from './prefix/compare';
import type { PrefixMemory } from './prefix/memory';
import { isPrepared, type Prepared } from './prepare';
import { hourCacheHeader } from './requestBody';
import { prefixKeys, WarmUp } from './warmUp';
import { warningsOf } from './warnings';

/** What one run of the node asks with. */
export interface ChatRun {
	context: IExecuteFunctions;
	style: ChatStyle;
	options: ChatOptions;
	client: ServiceClient;
	ledger: SubmissionLedger;
	/** Absent where the prefix is not watched. */
	memory: PrefixMemory | undefined;
}

/** Faults that every further request of the same key would meet as well. */
const HALTING = new Set(['authentication', 'payment', 'permission', 'cancelled']);

const storedAnswer = z.string().transform((text): unknown => JSON.parse(text)).pipe(chatAnswer);

/** Sends one request, unless this execution has already had and paid for its answer before the node was retried. */
async function send({ style, options, client, ledger }: ChatRun, item: Prepared): Promise<ChatAnswer> {
	const { given, parts, itemIndex } = item;
	const body = {
		model: given.model,
		max_tokens: given.max_tokens,
		...style.toPrompt(parts),
		...given.extra_body,
	};
	const bought = storedAnswer.safeParse(ledger.find(itemIndex, body));
	if (bought.success) return bought.data;

	const timeoutMs = options.timeout * 1_000;
	const answer = await client.send(
		{
			method: 'POST',
			path: style.path,
			headers: { ...style.headers, ...hourCacheHeader(given, parts) },
			body: toJson(body),
			retry: 'purchase',
			timeoutMs,
			giveUpAt: clock.now() + timeoutMs,
		},
		chatAnswer,
	);
	ledger.record(itemIndex, body, JSON.stringify(answer));
	return answer;
}

const usageOf = z.object({ usage: z.record(z.unknown()) });

function read({ style, options, client, memory }: ChatRun, item: Prepared, raw: ChatAnswer): Answer {
	const { text, stopReason } = style.readReply(raw);
	const told = usageOf.safeParse(raw);
	const usage = told.success
		? style.readUsage(neutralUsage(told.data.usage, client.connection.brandWords))
		: undefined;
	const warnings = warningsOf({
		prefix: item.prefix,
		comparison: memory && compareWithAll(memory.lastRun, item.given.model, item.prefix),
		stopReason,
		usage,
		otherMarkers: markersIn(item.given.extra_body).length,
	});
	return {
		text,
		stopReason,
		usage: usage ?? null,
		warnings,
		cost: usage && costOf(usage, options),
		raw: toJson(raw),
	};
}

/** What a refused request wrote cannot be read, so the next one has to write it again (cache rule 6). */
const hasWritten = ({ answer }: Outcome) => answer !== undefined && answer.stopReason !== REFUSAL;

/**
 * Asks for all items with at most "Concurrency" requests in flight, and gives back what became of each, in order.
 * After an answer that every other item would get too (401, 402, 403), no further one is sent.
 */
export async function askAll(run: ChatRun, items: ReadonlyArray<Prepared | Outcome>): Promise<Outcome[]> {
	const { context, client, options } = run;
	const limit = pLimit(options.concurrency);
	const warmUp = new WarmUp();
	let halted: ServiceFault | undefined;

	async function explain(fault: ServiceFault, itemIndex: number): Promise<Outcome> {
		const remaining = fault.kind === 'payment' ? await remainingBalance(client) : undefined;
		return { itemIndex, error: chatError(context.getNode(), fault, itemIndex, remaining) };
	}

	async function ask(item: Prepared): Promise<Outcome> {
		const { itemIndex } = item;
		if (halted) return { itemIndex, error: chatError(context.getNode(), halted, itemIndex) };
		try {
			return { itemIndex, answer: read(run, item, await send(run, item)) };
		} catch (error) {
			if (!(error instanceof ServiceFault)) {
				return { itemIndex, error: asNodeError(context.getNode(), error, { itemIndex }) };
			}
			if (HALTING.has(error.kind)) halted = error;
			return await explain(error, itemIndex);
		}
	}

	return await Promise.all(
		items.map(async (item) => {
			if (!isPrepared(item)) return item;
			const keys = options.warmCacheFirst ? prefixKeys(item.given.model, item.prefix) : [];
			return await warmUp.run(keys, async () => await limit(async () => await ask(item)), hasWritten);
		}),
	);
}
