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

/** Every node that n8n knows, from `/types/nodes.json`. */
export async function nodeTypes(api: RestClient): Promise<NodeType[]> {
	return api.call(z.array(nodeTypeSchema), { url: '/types/nodes.json' });
}

/** The webhooks that listen for as long as the workflow is active, not those that resume one execution. */
export function liveWebhooks(type: NodeType): NodeWebhook[] {
	return type.webhooks
		.map((webhook) => webhookSchema.safeParse(webhook))
		.flatMap((parsed) => (parsed.success && !parsed.data.restartWebhook ? [parsed.data] : []));
}
