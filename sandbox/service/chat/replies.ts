import { z } from 'zod/v3';
import { PHRASES } from '../core/http/parse';
import type { Ids } from '../core/store/ids';
import { countTokens } from './tokens';

const toolCall = z
	.object({
		name: z.string(),
		arguments: z.record(z.unknown()).default({}),
		id: z.string().optional(),
	})
	.strict();

/** A prepared answer. */
export const replySchema = z
	.object({
		/** `{{tool}}` is replaced by the last tool result, `{{user}}` by the last user message. */
		text: z.string().optional(),
		toolCalls: z.array(toolCall).optional(),
		refusal: z.boolean().default(false),
		/** Only for requests of this kind; without it, for any. */
		when: z
			.object({ lastRole: z.enum(['user', 'tool']).optional(), contains: z.string().optional() })
			.strict()
			.default({}),
		/** Whether it is kept for further requests. */
		repeat: z.boolean().default(false),
	})
	.strict();

export type ScriptedReply = z.input<typeof replySchema>;
type Scripted = z.output<typeof replySchema>;

/** A tool that a request offers. */
export interface OfferedTool {
	name: string;
	/** Its arguments, with `said` in each text parameter. */
	sampleArguments(said: string): Record<string, unknown>;
}

/** What prepared answers are matched against, and samples are made from. */
export interface Occasion {
	lastRole: string;
	user: string;
	tool: string;
	tools: OfferedTool[];
	/** In tokens; `null` for no limit. */
	limit: number | null;
}

export interface Reply {
	text: string;
	toolCalls: Array<{ id: string; name: string; arguments: Record<string, unknown> }>;
	stop: 'end' | 'limit' | 'tools' | 'refusal';
	tokens: number;
}

const LONGEST_ECHO = 200;

/** Finds the answer to a chat request: a prepared one, or a sample. */
export class Replies {
	private script: Scripted[] = [];

	constructor(private readonly ids: Ids) {}

	/** @throws ZodError when a reply is invalid */
	add(replies: readonly ScriptedReply[]): void {
		this.script.push(...replies.map((reply) => replySchema.parse(reply)));
	}

	list(): readonly Scripted[] {
		return [...this.script];
	}

	reset(): void {
		this.script = [];
	}

	answer(occasion: Occasion): Reply {
		const scripted = this.script.find((reply) => suits(reply, occasion));
		if (scripted && !scripted.repeat) this.script.splice(this.script.indexOf(scripted), 1);
		if (scripted?.refusal || (!scripted && occasion.user.includes(PHRASES.refuse))) {
			return { text: '', toolCalls: [], stop: 'refusal', tokens: 0 };
		}
		const { text: wanted = '', toolCalls: calls = [] } = scripted ?? sample(occasion);
		const toolCalls = calls.map(({ id = this.ids.next('call'), ...call }) => ({ id, ...call }));
		const text = wanted.replaceAll('{{tool}}', occasion.tool).replaceAll('{{user}}', occasion.user);
		return limited(
			{ text, toolCalls, stop: toolCalls.length > 0 ? 'tools' : 'end', tokens: 0 },
			occasion.limit,
		);
	}
}

/** Without a prepared answer, the first tool is called once with what the user said, so that an agent can be tried. */
function sample({ lastRole, user, tools: [tool] }: Occasion): Pick<Scripted, 'text' | 'toolCalls'> {
	if (lastRole === 'tool') return { text: 'Sample answer with the result: {{tool}}' };
	if (!tool) return { text: `Sample answer to: ${user.slice(0, LONGEST_ECHO)}` };
	return { toolCalls: [{ name: tool.name, arguments: tool.sampleArguments(user) }] };
}

function suits({ when }: Scripted, { lastRole, user, tool }: Occasion): boolean {
	if (when.lastRole !== undefined && when.lastRole !== lastRole) return false;
	return when.contains === undefined || (lastRole === 'tool' ? tool : user).includes(when.contains);
}

/** Cuts an answer at `max_tokens`. */
function limited(reply: Reply, limit: number | null): Reply {
	const calls = reply.toolCalls.reduce((sum, call) => sum + countTokens(JSON.stringify(call)), 0);
	const tokens = countTokens(reply.text) + calls;
	if (limit === null || tokens <= limit || calls > 0) return { ...reply, tokens };
	let text = reply.text;
	while (countTokens(text) > limit)
		text = text.slice(0, -Math.max(1, Math.floor(text.length / 20)));
	return { ...reply, text, stop: 'limit', tokens: countTokens(text) };
}
