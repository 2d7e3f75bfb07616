import { z } from 'zod/v3';
import { block, type PromptBlock } from './prompt';
import type { OfferedTool } from './replies';

const cacheControl = z
	.object({ type: z.literal('ephemeral'), ttl: z.enum(['5m', '1h']).default('5m') })
	.nullish()
	.transform((marker) => marker?.ttl ?? null);

const contentBlock = z.object({ type: z.string(), cache_control: cacheControl }).passthrough();
const content = z.union([z.string(), z.array(contentBlock)]);

/** The fields of both styles that the sandbox reads; the spec does not show the complete schema, so others are accepted. */
const common = {
	model: z.string().min(1),
	max_tokens: z.number().int().min(1).nullish(),
	stream: z.boolean().nullish(),
	tools: z.array(z.unknown()).nullish(),
};

const message = <Role extends z.ZodTypeAny>(role: Role) =>
	z
		.object({ role, content: content.nullish(), tool_calls: z.array(z.unknown()).nullish() })
		.passthrough();

/** `POST /v1/messages` (spec, section 8). */
export const messagesSchema = z
	.object({
		...common,
		system: content.nullish(),
		messages: z.array(message(z.enum(['user', 'assistant']))).min(1),
	})
	.passthrough();

/** `POST /v1/chat/completions` (spec, section 8); newer clients call `max_tokens` `max_completion_tokens`. */
export const completionsSchema = z
	.object({
		...common,
		max_completion_tokens: z.number().int().min(1).nullish(),
		stream_options: z.object({ include_usage: z.boolean().nullish() }).passthrough().nullish(),
		messages: z.array(message(z.enum(['system', 'developer', 'user', 'assistant', 'tool']))).min(1),
	})
	.passthrough();

const properties = z.record(z.unknown()).default({});
const parameters = z.object({ properties }).passthrough().default({});
const offeredTool = z.union([
	z
		.object({ name: z.string(), input_schema: parameters })
		.transform(({ name, input_schema }) => ({ name, properties: input_schema.properties })),
	z
		.object({ function: z.object({ name: z.string(), parameters }) })
		.transform(({ function: { name, parameters: given } }) => ({
			name,
			properties: given.properties,
		})),
]);
const textParameter = z.object({ type: z.literal('string') }).passthrough();
const groupOfParameters = z.object({ type: z.literal('object'), properties }).passthrough();

type Content = z.output<typeof content>;
type Message =
	| z.output<typeof messagesSchema>['messages'][number]
	| z.output<typeof completionsSchema>['messages'][number];

export interface ChatBody {
	model: string;
	system?: Content | null | undefined;
	tools?: unknown[] | null | undefined;
	messages: readonly Message[];
}

/** A tool of a messages request, whose marker stands beside its fields. */
const markedTool = z.object({ cache_control: cacheControl }).passthrough();

/** A prompt as blocks in the order in which the model reads them: tools, system, messages. */
export function blocksOf(
	{ tools, system, messages }: ChatBody,
	style: 'messages' | 'completions',
): PromptBlock[] {
	return [
		...(tools ?? []).map((tool) => toolBlock(tool, style)),
		...contentBlocks('system', system),
		...messages.flatMap(({ role, content: said, tool_calls }) => [
			...contentBlocks(role, said),
			...(tool_calls ?? []).map((call) => block(role, JSON.stringify(call))),
		]),
	];
}

/** In completions style no marker on a tool is known: there it is a field like others. */
function toolBlock(tool: unknown, style: 'messages' | 'completions'): PromptBlock {
	const read = markedTool.safeParse(tool);
	if (style === 'completions' || !read.success) return block('tools', JSON.stringify(tool));
	const { cache_control: marker, ...rest } = read.data;
	return block('tools', JSON.stringify(rest), marker);
}

/** A text is one block without a marker, even if its message has one (cache rule 2). So is a tool's result. */
function contentBlocks(role: string, said: Content | null | undefined): PromptBlock[] {
	if (said === null || said === undefined) return [];
	if (typeof said === 'string') return [block(role, said)];
	return said.map(({ cache_control: marker, ...rest }) =>
		block(role, textOf(rest) ?? JSON.stringify(rest), role === 'tool' ? null : marker),
	);
}

function textOf(candidate: Record<string, unknown>): string | undefined {
	return candidate.type === 'text' && typeof candidate.text === 'string'
		? candidate.text
		: undefined;
}

/** Arguments that have the given words in each text parameter, at any depth. */
function filledWith(said: string, schemas: Record<string, unknown>): Record<string, unknown> {
	const filled = Object.entries(schemas).map(([name, schema]): [string, unknown] => {
		if (textParameter.safeParse(schema).success) return [name, said];
		const group = groupOfParameters.safeParse(schema);
		return [name, group.success ? filledWith(said, group.data.properties) : undefined];
	});
	return Object.fromEntries(filled.filter(([, value]) => value !== undefined));
}

/** The tools that a request of either style offers. */
export function offeredTools({ tools }: ChatBody): OfferedTool[] {
	return (tools ?? []).flatMap((tool) => {
		const { data } = offeredTool.safeParse(tool);
		if (!data) return [];
		return [{ name: data.name, sampleArguments: (said) => filledWith(said, data.properties) }];
	});
}

/** The text of the last message of a role. */
export function lastSaid(messages: readonly Message[], ...roles: string[]): string {
	const last = messages.filter(({ role }) => roles.includes(role)).at(-1)?.content ?? '';
	if (typeof last === 'string') return last;
	return last.map((part) => textOf(part) ?? toolText(part)).join('\n');
}

/** A tool's result in messages style: a text, or blocks. */
function toolText({ type, content: result }: Record<string, unknown>): string {
	if (type !== 'tool_result') return '';
	const { data = [] } = content.safeParse(result);
	return typeof data === 'string' ? data : data.map((part) => textOf(part) ?? '').join('\n');
}
