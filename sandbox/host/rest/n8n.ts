import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { AxiosResponse, ResponseType } from 'axios';
import { z } from 'zod/v3';
import { RestClient } from './client';
import {
	Execution,
	summarySchema,
	type ExecutionStatus,
	type ExecutionSummary,
	type ItemFile,
} from './execution';
import {
	definitionSchema,
	nodeTypeSchema,
	webhookPaths,
	workflowSchema,
	type NodeType,
	type WebhookPath,
	type Workflow,
} from './workflow';

const settingsSchema = z.object({
	userManagement: z.object({ showSetupOnFirstLoad: z.boolean().optional() }),
});

const credentialSchema = z.object({ id: z.string(), name: z.string(), type: z.string() });

/** A credential as a workflow's nodes refer to it. */
type Credential = z.infer<typeof credentialSchema>;

export interface NewCredential {
	name: string;
	type: string;
	data: Record<string, unknown>;
}

/** What the editor shows after "Test": green, or the reason. */
const testResultSchema = z.object({
	status: z.enum(['OK', 'Error']),
	message: z.string().optional(),
});

const startedSchema = z.union([
	z.object({ executionId: z.string() }),
	z.object({ waitingForWebhook: z.literal(true) }),
]);

const executionsSchema = z.object({
	results: z.array(summarySchema),
	nextCursor: z.string().nullish(),
});

/** For answers that nothing is read of. */
const anything = z.unknown();

const PAGE = 100;

/** n8n 1.123 stores that an execution has ended before it stores its data: what ended within this time is read twice. */
const RECENT_MS = 2_000;

const DATA_MS = 200;

const endedJustNow = ({ summary: { stoppedAt } }: Execution) =>
	typeof stoppedAt === 'string' && Date.now() - Date.parse(stoppedAt) < RECENT_MS;

/** What n8n's editor does, over the same REST interface. */
export class RestN8n {
	/** For what has no method here. */
	readonly api: RestClient;

	/** Kept, because the list has many megabytes, and a restart does not change it. */
	private types: Promise<NodeType[]> | undefined;

	/** The person that n8n belongs to. */
	readonly owner = { email: 'owner@mediagen.example', password: 'Mediagen-sandbox-1' };

	/** @param url `http://127.0.0.1:<port>`: the editor, `/rest/…` and `/webhook/…` */
	constructor(readonly url: string) {
		this.api = new RestClient(url);
	}

	/** Checks whether n8n's REST interface answers, which it does some moments after its port does. */
	protected async isUp(): Promise<boolean> {
		const response = await this.api.raw.get<unknown>('/rest/settings').catch(() => undefined);
		return (
			response?.status === 200 &&
			z.object({ data: settingsSchema }).safeParse(response.data).success
		);
	}

	/** Sets up the owner on a fresh user folder, logs in on a used one; keeps a session that is still valid. */
	protected async enter(): Promise<void> {
		const { email, password } = this.owner;
		if (this.api.session && (await this.api.raw.get('/rest/login')).status === 200) return;
		const { userManagement } = await this.api.call(settingsSchema, { url: '/rest/settings' });
		if (userManagement.showSetupOnFirstLoad)
			await this.post(
				'/rest/owner/setup',
				{ email, password, firstName: 'Media', lastName: 'Gen' },
				anything,
			);
		await this.post('/rest/login', { emailOrLdapLoginId: email, password }, anything);
	}

	/** Every node that n8n offers, or those whose name begins with `prefix`. */
	async nodeTypes(prefix = ''): Promise<NodeType[]> {
		this.types ??= this.api
			.call(z.array(nodeTypeSchema), { url: '/types/nodes.json' })
			.catch((error: unknown) => {
				this.types = undefined;
				throw error;
			});
		return (await this.types).filter(({ name }) => name.startsWith(prefix));
	}

	async createCredential(credential: NewCredential): Promise<Credential> {
		return this.post('/rest/credentials', credential, credentialSchema);
	}

	/** Creates a credential, or gives the one of this name and type new values. */
	async putCredential(credential: NewCredential): Promise<Credential> {
		const known = (await this.credentials()).find(
			({ name, type }) => name === credential.name && type === credential.type,
		);
		if (!known) return this.createCredential(credential);
		return this.api.call(credentialSchema, {
			method: 'PATCH',
			url: `/rest/credentials/${known.id}`,
			data: credential,
		});
	}

	/** Creates a credential and tests it, as the editor does. */
	async testCredential(credential: NewCredential): Promise<z.infer<typeof testResultSchema>> {
		const { id } = await this.createCredential(credential);
		const credentials = { id, ...credential };
		return this.post('/rest/credentials/test', { credentials }, testResultSchema);
	}

	/**
	 * Imports a workflow as n8n exports it, as the editor does with a file. Its nodes' credentials are replaced by those
	 * that exist here: by name, else the newest of the type.
	 */
	async importWorkflow(json: unknown): Promise<Workflow> {
		const credentials = await this.credentials();
		const { id: _id, versionId: _versionId, ...definition } = definitionSchema.parse(json);
		const nodes = definition.nodes.map((node) => ({
			...node,
			// A trigger without an id of its own gets another address at each import, so that two copies never share one.
			webhookId: node.webhookId ?? randomUUID(),
			...(node.credentials && { credentials: replaceCredentials(node.credentials, credentials) }),
		}));
		return this.post('/rest/workflows', { ...definition, nodes, active: false }, workflowSchema);
	}

	async workflows(): Promise<Array<{ id: string; name: string }>> {
		return this.api.call(z.array(z.object({ id: z.string(), name: z.string() })), {
			url: '/rest/workflows',
		});
	}

	async workflow(id: string): Promise<Workflow> {
		return this.api.call(workflowSchema, { url: `/rest/workflows/${id}` });
	}

	/** Lets a workflow's triggers listen. n8n answers before they do. */
	async activate(id: string): Promise<Workflow> {
		const { versionId } = await this.workflow(id);
		return this.post(`/rest/workflows/${id}/activate`, { versionId }, workflowSchema);
	}

	/** Makes a workflow's triggers stop listening. */
	async deactivate(id: string): Promise<void> {
		await this.post(`/rest/workflows/${id}/deactivate`, {}, anything);
	}

	/** The address of the webhook of a workflow's first trigger that has one. */
	async webhookUrl(workflowId: string): Promise<string> {
		const [webhook] = await this.webhooks(workflowId);
		if (!webhook) throw new Error(`Workflow ${workflowId} has no webhook.`);
		return `${this.url}/webhook/${webhook.path}`;
	}

	/** The paths that a workflow listens on once it is active. */
	protected async webhooks(workflowId: string): Promise<WebhookPath[]> {
		return webhookPaths(...(await Promise.all([this.workflow(workflowId), this.nodeTypes()])));
	}

	/**
	 * Asks whether n8n listens on a path, without starting anything: a CORS preflight is answered with the methods that are
	 * registered for it. While n8n does not answer at all, it does not listen.
	 */
	protected async isListening({ method, path }: WebhookPath): Promise<boolean> {
		const preflight = {
			method: 'OPTIONS',
			url: `/webhook/${path}`,
			headers: { Origin: this.url, 'Access-Control-Request-Method': method },
		};
		const response = await this.api.raw.request<unknown>(preflight).catch(() => undefined);
		const allowed = String(response?.headers['access-control-allow-methods'] ?? '');
		return allowed.split(/\s*,\s*/).includes(method);
	}

	/**
	 * Starts a workflow by hand, as the editor's button does.
	 *
	 * @param trigger name of the trigger to start from; by default the first node that is one
	 * @returns the execution's id, or undefined where n8n now listens for one test event
	 */
	async start(id: string, trigger?: string): Promise<string | undefined> {
		const workflow = await this.workflow(id);
		const name =
			trigger ??
			workflow.nodes.find(({ type, disabled }) => /trigger$/i.test(type) && !disabled)?.name;
		if (name === undefined)
			throw new Error(`The workflow "${workflow.name}" has no trigger to start from.`);
		const run = { workflowData: workflow, startNodes: [], triggerToStartFrom: { name } };
		const started = await this.post(`/rest/workflows/${id}/run`, run, startedSchema);
		return 'executionId' in started ? started.executionId : undefined;
	}

	/** An execution with all that its nodes put out. */
	async execution(id: string): Promise<Execution> {
		const found = await this.readExecution(id);
		if (!endedJustNow(found)) return found;
		await delay(DATA_MS);
		return await this.readExecution(id);
	}

	private async readExecution(id: string): Promise<Execution> {
		const { data, ...summary } = await this.api.call(summarySchema.extend({ data: z.string() }), {
			url: `/rest/executions/${id}`,
		});
		return new Execution(summary, data);
	}

	/** The state of an execution, without its data. */
	protected async executionStatus(id: string): Promise<ExecutionStatus> {
		const { status } = await this.api.call(summarySchema.pick({ status: true }), {
			url: `/rest/executions/${id}`,
		});
		return status;
	}

	/** n8n's list of executions, the newest first, all pages. Running ones are among them. */
	async executions(
		filter: { workflowId?: string; status?: ExecutionStatus[] } = {},
	): Promise<ExecutionSummary[]> {
		const found = new Map<string, ExecutionSummary>();
		let position: { cursor?: string; lastId?: string } = {};
		for (;;) {
			const { results, nextCursor } = await this.api.call(executionsSchema, {
				url: '/rest/executions',
				params: { filter: JSON.stringify(filter), limit: PAGE, ...position },
			});
			const known = found.size;
			for (const execution of results) found.set(execution.id, execution);
			if (found.size === known || (results.length < PAGE && !nextCursor))
				return [...found.values()];
			// n8n 2 gives the place to continue from and accepts no other; n8n 1 continues from the last id.
			position = nextCursor ? { cursor: nextCursor } : { lastId: results.at(-1)?.id ?? '' };
		}
	}

	/** Stops an execution, as the editor's button does. */
	async stopExecution(id: string): Promise<void> {
		await this.post(`/rest/executions/${id}/stop`, undefined, anything);
	}

	/** Deletes executions together with their files. */
	async deleteExecutions(ids: string[]): Promise<void> {
		await this.post('/rest/executions/delete', { ids }, anything);
	}

	/** Reads a file that a node put out, `item.binary.<name>`, wherever n8n keeps it. */
	async binary({ id, data, mimeType }: ItemFile): Promise<{ data: Buffer; contentType: string }> {
		if (id === undefined) return { data: Buffer.from(data, 'base64'), contentType: mimeType };
		const response = await this.download<ArrayBuffer>(id, 'arraybuffer');
		return {
			data: Buffer.from(response.data),
			contentType: String(response.headers['content-type'] ?? ''),
		};
	}

	/** Saves such a file, of any size, to `path`. */
	async saveBinary({ id, data }: ItemFile, path: string): Promise<void> {
		if (id === undefined) return writeFile(path, Buffer.from(data, 'base64'));
		const response = await this.download<Readable>(id, 'stream');
		await pipeline(response.data, createWriteStream(path));
	}

	private async download<T>(id: string, responseType: ResponseType): Promise<AxiosResponse<T>> {
		const response = await this.api.raw.request<T>({
			url: '/rest/binary-data',
			params: { id, action: 'download' },
			responseType,
		});
		if (response.status !== 200)
			throw new Error(`Reading file ${id} was answered ${response.status}: n8n does not have it`);
		return response;
	}

	private async credentials(): Promise<Credential[]> {
		return this.api.call(z.array(credentialSchema), { url: '/rest/credentials' });
	}

	private async post<S extends z.ZodTypeAny>(url: string, data: unknown, schema: S) {
		return this.api.call(schema, { method: 'POST', url, data });
	}
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
