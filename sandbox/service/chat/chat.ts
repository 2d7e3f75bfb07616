import type { Service } from '../core/service';
import type { Account } from '../core/store/accounts';
import { RecordWriter } from '../core/tasks/record';
import { ChatBill } from './bill';
import { PrefixCache, type CacheUsage } from './prefixCache';
import { boundariesOf, checkMarkers } from './prompt';
import { Replies, type Occasion, type Reply } from './replies';
import { blocksOf, offeredTools, type ChatBody } from './request';
import { checkStrictly } from './rules';

/** A chat request of either style, valid in its fields. */
export interface ChatRequest {
	account: Account;
	style: 'messages' | 'completions';
	body: ChatBody;
	/** The `vendor-beta` header. */
	beta: string | undefined;
	said: Omit<Occasion, 'tools'>;
}

/** What both styles write their answers from. */
export interface ChatAnswer {
	id: string;
	model: string;
	/** Clock milliseconds. */
	now: number;
	reply: Reply;
	usage: CacheUsage;
	/** Whether `usage` separates cache writes by their lifetime. */
	hasBreakdown: boolean;
	writer: RecordWriter;
}

/** The chat side of the service: prefix cache, answers, bill. */
export class Chat {
	readonly cache: PrefixCache;
	readonly replies: Replies;
	readonly bill: ChatBill;

	constructor(private readonly service: Service) {
		this.cache = new PrefixCache(service.clock);
		this.replies = new Replies(service.ids);
		this.bill = new ChatBill(service.clock);
	}

	/**
	 * Answers a request and bills it.
	 * @throws ServiceError 400 for invalid cache markers and what a strict sandbox refuses, 402 when the balance is insufficient
	 */
	async answer({ account, style, body, beta, said }: ChatRequest): Promise<ChatAnswer> {
		const { service } = this;
		const { strict } = service.settings;
		const { model } = body;
		if (strict) checkStrictly(body, style);
		const blocks = blocksOf(body, style);
		checkMarkers(blocks, beta, strict);
		// The cost is known after the answer only, so an empty balance is checked before.
		service.accounts.check(account, 1);
		const plan = this.cache.plan(`${account.key}/${model}`, boundariesOf(blocks));
		const reply = this.replies.answer({ ...said, tools: offeredTools(body) });
		if (service.settings.chatLatency > 0)
			await service.lifetime.sleep(service.settings.chatLatency);

		const refused = reply.stop === 'refusal';
		// Cache writes of a refused request are reported, but not read by the next one (cache rule 6).
		if (!refused) plan.commit();
		const { credits } = this.bill.write({
			key: account.key,
			style,
			model,
			...plan.usage,
			output: reply.tokens,
			refused,
		});
		const charged = Math.min(
			Math.ceil(credits),
			account.unlimited ? Infinity : account.remainCredits,
		);
		service.accounts.charge(account, charged, { taskId: null, item: `chat@${model}` });
		return {
			id: service.ids.next('chat'),
			model,
			now: service.clock.now(),
			reply,
			usage: plan.usage,
			hasBreakdown: service.settings.cacheTtlBreakdown,
			writer: new RecordWriter(service),
		};
	}

	reset(): void {
		Object.assign(this, new Chat(this.service));
	}
}
