import { randomUUID } from 'node:crypto';
import { z } from 'zod/v3';
import type { RestClient } from './client';
import type { Credential } from './credentials';

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

const definitionSchema = z
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

const workflowSchema = definitionSchema.extend({
	id: z.string(),
	active: z.boolean(),
	versionId: z.string(),
});

/** A workflow as it stands in a file that n8n exports. */
export type WorkflowDefinition = z.input<typeof definitionSchema>;

/** A workflow inside n8n. */
export type Workflow = z.infer<typeof workflowSchema>;

/**
 * Imports a workflow, as the editor does with a file: nodes keep everything but ids of credentials that exist elsewhere.
 *
 * @param credentials those that exist here: a node's own is found by name, else the newest of the same type
 */
export async function importWorkflow(
	api: RestClient,
	json: unknown,
	credentials: Credential[],
): Promise<Workflow> {
	const definition = definitionSchema.parse(json);
	const nodes = definition.nodes.map((node) => ({
		...node,
		// A trigger without an id of its own gets another address at each import, so that two copies never share one.
		webhookId: node.webhookId ?? randomUUID(),
		...(node.credentials && { credentials: replaceCredentials(node.credentials, credentials) }),
	}));
	const { id: _id, versionId: _versionId, ...rest } = definition;
	return api.call(workflowSchema, {
		method: 'POST',
		url: '/rest/workflows',
		data: { ...rest, nodes, active: false },
	});
}

function replaceCredentials(wanted: Record<string, { name: string }>, existing: Credential[]) {
	return Object.fromEntries(
		Object.entries(wanted).map(([type, { name }]) => {
			const candidates = existing.filter((credential) => credential.type === type);
			const found = candidates.find((credential) => credential.name === name) ?? candidates.at(-1);
			if (!found)
				throw new Error(
					`The workflow needs a credential of type "${type}" and there is none in n8n.`,
				);
			return [type, { id: found.id, name: found.name }];
		}),
	);
}

/** Lists the workflows that exist. */
export async function listWorkflows(api: RestClient): Promise<Array<{ id: string; name: string }>> {
	return api.call(z.array(z.object({ id: z.string(), name: z.string() })), {
		url: '/rest/workflows',
	});
}

/** Reads a workflow. */
export async function getWorkflow(api: RestClient, id: string): Promise<Workflow> {
	return api.call(workflowSchema, { url: `/rest/workflows/${id}` });
}

/** Lets a workflow's triggers listen. n8n answers before they do: {@link ../n8n/webhooks} waits for that. */
export async function activateWorkflow(api: RestClient, id: string): Promise<Workflow> {
	const { versionId } = await getWorkflow(api, id);
	return api.call(workflowSchema, {
		method: 'POST',
		url: `/rest/workflows/${id}/activate`,
		data: { versionId },
	});
}

/** Lets a workflow's triggers listen no more. */
export async function deactivateWorkflow(api: RestClient, id: string): Promise<Workflow> {
	return api.call(workflowSchema, {
		method: 'POST',
		url: `/rest/workflows/${id}/deactivate`,
		data: {},
	});
}

const startedSchema = z.union([
	z.object({ executionId: z.string() }),
	z.object({ waitingForWebhook: z.literal(true) }).passthrough(),
]);

/**
 * Starts a workflow by hand, as the editor's button does.
 *
 * @param trigger name of the trigger to start from; by default the first node that is one
 * @returns the execution's id, or undefined where n8n now listens for one test event
 */
export async function startWorkflow(
	api: RestClient,
	id: string,
	trigger?: string,
): Promise<string | undefined> {
	const workflow = await getWorkflow(api, id);
	const start =
		trigger ??
		workflow.nodes.find(({ type, disabled }) => /trigger$/i.test(type) && !disabled)?.name;
	if (start === undefined)
		throw new Error(`The workflow "${workflow.name}" has no trigger to start from.`);
	const started = await api.call(startedSchema, {
		method: 'POST',
		url: `/rest/workflows/${id}/run`,
		data: { workflowData: workflow, startNodes: [], triggerToStartFrom: { name: start } },
	});
	return 'executionId' in started ? String(started.executionId) : undefined;
}
