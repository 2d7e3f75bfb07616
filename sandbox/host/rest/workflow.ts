import { z } from 'zod/v3';

const nodeSchema = z
	.object({
		name: z.string(),
		type: z.string(),
		disabled: z.boolean().optional(),
		webhookId: z.string().optional(),
		parameters: z.record(z.unknown()).default({}),
		credentials: z
			.record(z.object({ id: z.string().nullish(), name: z.string() }).passthrough())
			.optional(),
	})
	.passthrough();

export const definitionSchema = z
	.object({
		name: z.string(),
		nodes: z.array(nodeSchema),
		connections: z.record(z.unknown()),
		settings: z.record(z.unknown()).default({}),
		// n8n 2's editor cannot run a single step of a workflow that it was given without this.
		pinData: z
			.record(z.unknown())
			.nullish()
			.transform((pinned) => pinned ?? {}),
	})
	.passthrough();

export const workflowSchema = definitionSchema.extend({
	id: z.string(),
	active: z.boolean(),
	versionId: z.string(),
});

/** A workflow as it stands in a file that n8n exports. */
export type WorkflowDefinition = z.input<typeof definitionSchema>;

/** A workflow inside n8n. */
export type Workflow = z.infer<typeof workflowSchema>;

/** A node as n8n offers it to its editor; fields not named here are kept as they came. */
export const nodeTypeSchema = z
	.object({
		name: z.string(),
		displayName: z.string(),
		version: z.union([z.number(), z.array(z.number())]),
		webhooks: z.array(z.unknown()).default([]),
	})
	.passthrough();

export type NodeType = z.infer<typeof nodeTypeSchema>;

/** Where a node listens for requests. */
const nodeWebhookSchema = z.object({
	path: z.string(),
	httpMethod: z.string().default('GET'),
	isFullPath: z.boolean().default(false),
	restartWebhook: z.boolean().default(false),
});

/** A webhook's path and method are often expressions over the node's own parameters; here, their usual names suffice. */
const chosenSchema = z.object({ path: z.string().catch(''), httpMethod: z.string().catch('GET') });

/** A path that an active workflow listens on. */
export interface WebhookPath {
	method: string;
	/** Without the leading `/webhook/`. */
	path: string;
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'];

/** The paths that a workflow listens on once it is active; not those that resume one execution. */
export function webhookPaths(workflow: Workflow, types: NodeType[]): WebhookPath[] {
	return workflow.nodes.flatMap(({ type: wanted, disabled, webhookId = '', parameters }) => {
		const type = types.find(({ name }) => name === wanted);
		if (!type || disabled) return [];
		const chosen = chosenSchema.parse(parameters);
		return type.webhooks
			.map((webhook) => nodeWebhookSchema.safeParse(webhook))
			.flatMap(({ data }) => (data && !data.restartWebhook ? [data] : []))
			.map(({ httpMethod, path, isFullPath }) => {
				const own = path.startsWith('=') ? chosen.path : path;
				const full = isFullPath ? own || webhookId : `${webhookId}/${own}`;
				const method = METHODS.includes(httpMethod) ? httpMethod : chosen.httpMethod;
				return { method, path: full.replace(/^\/|\/$/g, '') };
			});
	});
}
