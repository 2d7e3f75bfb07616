import { z } from 'zod/v3';
import type { RestClient } from './client';
import { unflatten } from './unflatten';

const statusSchema = z.enum([
	'new',
	'running',
	'waiting',
	'success',
	'error',
	'canceled',
	'crashed',
	'unknown',
]);

export type ExecutionStatus = z.infer<typeof statusSchema>;

const summarySchema = z
	.object({
		id: z.coerce.string(),
		workflowId: z.string(),
		status: statusSchema,
		mode: z.string(),
		startedAt: z.string().nullish(),
		stoppedAt: z.string().nullish(),
		waitTill: z.string().nullish(),
	})
	.passthrough();

/** A line of n8n's list of executions. */
export type ExecutionSummary = z.infer<typeof summarySchema>;

const binarySchema = z
	.object({
		id: z.string().optional(),
		data: z.string(),
		mimeType: z.string(),
		fileName: z.string().optional(),
		fileExtension: z.string().optional(),
	})
	.passthrough();

/** A file of an item: `id` says where n8n keeps it; without one, `data` is the content itself, in base64. */
export type ItemFile = z.infer<typeof binarySchema>;

const itemSchema = z
	.object({
		json: z.record(z.unknown()),
		binary: z.record(binarySchema).optional(),
		pairedItem: z.unknown(),
	})
	.passthrough();

/** One item that a node put out. */
export type ExecutionItem = z.infer<typeof itemSchema>;

const errorSchema = z
	.object({ message: z.string(), description: z.string().nullish(), name: z.string().optional() })
	.passthrough();

/** What a node, or the whole execution, failed with, in the words that the editor shows. */
export type ExecutionError = z.infer<typeof errorSchema>;

const taskSchema = z
	.object({
		executionStatus: z.string().optional(),
		executionTime: z.number().optional(),
		error: errorSchema.optional(),
		hints: z.array(z.object({ message: z.string() }).passthrough()).default([]),
		data: z.record(z.array(z.array(itemSchema).nullable())).optional(),
	})
	.passthrough();

/** One run of one node. */
export type NodeRun = z.infer<typeof taskSchema>;

const runDataSchema = z.object({
	resultData: z
		.object({
			runData: z.record(z.array(taskSchema)).default({}),
			error: errorSchema.optional(),
			lastNodeExecuted: z.string().optional(),
		})
		.passthrough(),
});

/** An execution with everything that its nodes put out. */
export class Execution {
	readonly id: string;

	readonly status: ExecutionStatus;

	readonly workflowId: string;

	/** Runs by node name, in the order in which they happened. */
	readonly runs: Record<string, NodeRun[]>;

	readonly error: ExecutionError | undefined;

	readonly lastNode: string | undefined;

	constructor(
		readonly summary: ExecutionSummary,
		data: unknown,
	) {
		const { resultData } = runDataSchema.parse(data);
		this.id = summary.id;
		this.status = summary.status;
		this.workflowId = summary.workflowId;
		this.runs = resultData.runData;
		this.error = resultData.error;
		this.lastNode = resultData.lastNodeExecuted;
	}

	/** The items that a node put out at its last run; `output` counts from 0. */
	items(node: string, output = 0): ExecutionItem[] {
		return this.runs[node]?.at(-1)?.data?.main?.[output] ?? [];
	}

	/** The `json` of those items. */
	json(node: string, output = 0): Array<Record<string, unknown>> {
		return this.items(node, output).map(({ json }) => json);
	}

	/** The files of those items, in the order of the items. */
	files(node: string, output = 0): ItemFile[] {
		return this.items(node, output).flatMap(({ binary }) => Object.values(binary ?? {}));
	}

	/** The hints that the node gave beside its output. */
	hints(node: string): string[] {
		return this.runs[node]?.at(-1)?.hints.map(({ message }) => message) ?? [];
	}
}

const detailSchema = summarySchema.extend({ data: z.string() });

/** Reads an execution whole. */
export async function getExecution(api: RestClient, id: string): Promise<Execution> {
	const { data, ...summary } = await api.call(detailSchema, { url: `/rest/executions/${id}` });
	return new Execution(summary, unflatten(data));
}

/** Reads the state of an execution without its data. */
export async function getStatus(api: RestClient, id: string): Promise<ExecutionStatus> {
	return (await api.call(summarySchema.pick({ status: true }), { url: `/rest/executions/${id}` }))
		.status;
}

export interface ExecutionFilter {
	workflowId?: string;
	status?: ExecutionStatus[];
}

const PAGE = 100;

const listSchema = z
	.object({ results: z.array(summarySchema), nextCursor: z.string().nullish() })
	.passthrough();

/** Lists executions, the newest first, all pages. Running ones are among them. */
export async function listExecutions(
	api: RestClient,
	filter: ExecutionFilter = {},
): Promise<ExecutionSummary[]> {
	const found = new Map<string, ExecutionSummary>();
	let position: { cursor?: string; lastId?: string } = {};
	for (;;) {
		const { results, nextCursor } = await api.call(listSchema, {
			url: '/rest/executions',
			params: { filter: JSON.stringify(filter), limit: PAGE, ...position },
		});
		const known = found.size;
		for (const execution of results) found.set(execution.id, execution);
		if (found.size === known || (results.length < PAGE && !nextCursor)) return [...found.values()];
		// n8n 2 gives the place to go on from and accepts no other; n8n 1 goes on from the last id.
		position = nextCursor ? { cursor: nextCursor } : { lastId: results.at(-1)?.id ?? '' };
	}
}

/** Stops an execution, as the editor's button does. */
export async function stopExecution(api: RestClient, id: string): Promise<void> {
	await api.call(z.unknown(), { method: 'POST', url: `/rest/executions/${id}/stop` });
}

/** Deletes executions together with their files. */
export async function deleteExecutions(api: RestClient, ids: string[]): Promise<void> {
	await api.call(z.unknown(), { method: 'POST', url: '/rest/executions/delete', data: { ids } });
}
