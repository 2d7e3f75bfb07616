import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { ChatAnswer, Reply } from '../shared/api/chat';
import type { Operation } from '../shared/n8n/describe';
import { SubmissionLedger } from '../shared/purchase/purchaseRecords';
import { createClient } from '../shared/api/client';
import { askAll } from './ask';
import type { Part } from './conversation';
import { chatFields, chatResource } from './fields';
import { finish } from './output';
import { readChatOptions } from './options';
import { isPrepared, type Prepared, prepareItems } from './prepare';
import type { Outcome } from './outcome';
import { PrefixMemory } from './prefix/memory';
import type { UsageReader } from './usage';

/** One of the two styles of asking: where it goes, how it is laid out, and how its answer reads. */
export interface ChatStyle extends Pick<Operation, 'name' | 'value' | 'action' | 'description'> {
	path: string;
	headers: Record<string, string>;
	/** The fields of the body that hold the prompt. */
	toPrompt(parts: readonly Part[]): Record<string, unknown>;
	readReply(answer: ChatAnswer): Reply;
	readUsage: UsageReader;
}

function refuseEarly(context: IExecuteFunctions, items: ReadonlyArray<Prepared | Outcome>): void {
	for (const item of items) {
		if (!isPrepared(item) && item.error && !context.continueOnFail()) throw item.error;
	}
}

async function execute(context: IExecuteFunctions, style: ChatStyle): Promise<INodeExecutionData[][]> {
	const options = readChatOptions(context);
	const items = prepareItems(context);
	refuseEarly(context, items);

	const signal = context.getExecutionCancelSignal();
	const ledger = new SubmissionLedger(context);
	const memory = options.watchPrefix ? new PrefixMemory(context) : undefined;
	const client = await createClient(context, signal);
	const outcomes = await askAll({ context, style, options, client, ledger, memory }, items);
	// Where nothing was answered nothing was cached: the run before stays the one to compare with.
	memory?.keep(items.filter(isPrepared).filter(({ itemIndex }) => outcomes[itemIndex]?.answer !== undefined));
	const output = finish(context, options, outcomes);
	ledger.forget();
	return [output];
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
		fields: chatFields,
		execute: async (context) => await execute(context, style),
	};
}
