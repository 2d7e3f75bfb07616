import { z } from 'zod/v3';

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

export const summarySchema = z
	.object({
		id: z.coerce.string(),
		workflowId: z.string(),
		status: statusSchema,
		mode: z.string(),
		startedAt: z.string().nullish(),
		stoppedAt: z.string().nullish(),
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

/** What a node, or the whole execution, failed with, in the words that the editor shows. */
const errorSchema = z
	.object({ message: z.string(), description: z.string().nullish(), name: z.string().optional() })
	.passthrough();

const taskSchema = z
	.object({
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

	readonly error: z.infer<typeof errorSchema> | undefined;

	readonly lastNode: string | undefined;

	constructor(
		readonly summary: ExecutionSummary,
		/** In the form in which n8n sends it. */
		flattened: string,
	) {
		const { resultData } = runDataSchema.parse(unflatten(flattened));
		this.id = summary.id;
		this.status = summary.status;
		this.workflowId = summary.workflowId;
		this.runs = resultData.runData;
		this.error = resultData.error;
		this.lastNode = resultData.lastNodeExecuted;
	}

	/** The items that a node put out at its last run; `output` counts from 0. */
	items(node: string, output = 0) {
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

const tableSchema = z.array(z.unknown()).min(1);

/**
 * Reads the form in which n8n sends an execution's data (the "flatted" format): a list of values, the first of which is the
 * root; inside objects and arrays, a string is the position of a value in that list.
 *
 * The library of that name cannot be loaded from CommonJS TypeScript, and this is all that is needed of it.
 */
export function unflatten(text: string): unknown {
	const table = tableSchema.parse(JSON.parse(text));
	const built = new Map<number, unknown>();

	const resolve = (entry: unknown): unknown =>
		typeof entry === 'string' ? build(Number(entry)) : entry;
	const build = (position: number): unknown => {
		if (built.has(position)) return built.get(position);
		const value = table[position];
		if (typeof value !== 'object' || value === null) return value;
		// Known before it is filled, as a value may contain itself.
		const result: unknown[] | Record<string, unknown> = Array.isArray(value) ? [] : {};
		built.set(position, result);
		for (const [key, entry] of Object.entries(value))
			Object.assign(result, { [key]: resolve(entry) });
		return result;
	};
	return build(0);
}
