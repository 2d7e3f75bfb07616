import { z } from 'zod/v3';

const prompt = z.object({
	tools: z.array(z.unknown()),
	system: z.array(z.unknown()).default([]),
	messages: z.array(z.object({ role: z.string(), content: z.unknown() }).passthrough()),
});

/** A request for chat as the bytes of its blocks, in the order in which the model reads them, without markers. */
export function promptBlocks(body: unknown): string[] {
	const { tools, system, messages } = prompt.parse(body);
	const bytes = (role: string, block: unknown) =>
		JSON.stringify([role, block], (name, value: unknown) =>
			name === 'cache_control' ? undefined : value,
		);
	return [
		...tools.map((tool) => bytes('tools', tool)),
		...system.map((block) => bytes('system', block)),
		...messages.flatMap(({ role, content, ...more }) => [
			...(Array.isArray(content) ? content : [content]).map((block) => bytes(role, block)),
			...(Object.keys(more).length > 0 ? [bytes(role, more)] : []),
		]),
	];
}
