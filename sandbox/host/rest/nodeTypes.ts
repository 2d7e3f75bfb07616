import { z } from 'zod/v3';
import type { RestClient } from './client';

const webhookSchema = z
	.object({
		path: z.string(),
		httpMethod: z.string().default('GET'),
		isFullPath: z.boolean().default(false),
		restartWebhook: z.boolean().default(false),
	})
	.passthrough();

const nodeTypeSchema = z
	.object({
		name: z.string(),
		displayName: z.string(),
		version: z.union([z.number(), z.array(z.number())]),
		defaultVersion: z.number().optional(),
		group: z.array(z.string()).default([]),
		webhooks: z.array(z.unknown()).default([]),
	})
	.passthrough();

/** A node as n8n offers it to its editor; fields not named here are kept as they came. */
export type NodeType = z.infer<typeof nodeTypeSchema>;

/** Where a node listens for requests. */
export type NodeWebhook = z.infer<typeof webhookSchema>;

/** Every node that n8n knows, from `/types/nodes.json`; `prefix` narrows them, for example `n8n-nodes-mediagen.`. */
export async function nodeTypes(api: RestClient, prefix = ''): Promise<NodeType[]> {
	const all = await api.call(z.array(z.object({ name: z.string() }).passthrough()), { url: '/types/nodes.json' });
	return all.filter(({ name }) => name.startsWith(prefix)).map((type) => nodeTypeSchema.parse(type));
}

/** The webhooks that listen for as long as the workflow is active, not those that resume one execution. */
export function liveWebhooks(type: NodeType): NodeWebhook[] {
	return type.webhooks
		.map((webhook) => webhookSchema.safeParse(webhook))
		.flatMap((parsed) => (parsed.success && !parsed.data.restartWebhook ? [parsed.data] : []));
}
