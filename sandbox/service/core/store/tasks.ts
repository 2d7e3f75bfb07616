import type { FileContent } from '../../media/media';
import type { StoredFile } from './files';

export const FAMILIES = ['image', 'music', 'grid', 'video'] as const;
export type Family = (typeof FAMILIES)[number];

/** A value for each family. */
export function byFamily<Value>(valueOf: (family: Family) => Value) {
	const values = FAMILIES.map((family) => [family, valueOf(family)] as const);
	return Object.fromEntries(values) as Record<Family, Value>;
}

/** A result that a task will have. */
export interface PlannedFile {
	/** End of the file's name, such as `1.png`. */
	readonly suffix: string;
	readonly contentType: string;
	readonly content: FileContent;
	/** The service's own number of the result, counted from 1; `null` where it has none. */
	readonly index: number | null;
	/** Name of a stem, or `grid`; `null` for the others. */
	readonly name: string | null;
}

/** What a task makes. Each family adds what its records and follow-up operations need. */
export interface Plan {
	readonly family: Family;
	readonly files: readonly PlannedFile[];
}

/** A result that was made. */
export type Result = Pick<PlannedFile, 'index' | 'name'> & { readonly file: StoredFile };

/** How a task ends. It is fixed when the task is accepted, and can be changed until the task has ended. */
export type Outcome = { status: 'completed' } | { status: 'failed'; message: string; code: string };

export function failed(message: string, code = ''): Outcome {
	return { status: 'failed', message, code };
}

/** An accepted submission: a purchase. */
export interface Task<Kind extends Plan = Plan> {
	readonly id: string;
	readonly family: Kind['family'];
	readonly operation: string;
	/** The path it was submitted to. */
	readonly path: string;
	readonly key: string;
	/** The body as received, with very long strings shortened. */
	readonly request: unknown;
	/** The fields that took effect, with defaults filled in and silent changes made. */
	readonly applied: Readonly<Record<string, unknown>>;
	/** Fields that were sent and had no effect. */
	readonly ignored: readonly string[];
	/** What the service changed silently. */
	readonly notes: readonly string[];
	readonly webhook: string | null;
	readonly plan: Kind;
	readonly createdAt: number;
	/** Clock milliseconds from acceptance to the end; `null` waits until it is finished by hand. */
	readonly durationMs: number | null;
	/** Pad every result file to this many bytes. */
	readonly padTo: number | null;
	readonly credits: number;
	/** Credits for results that were paid for and will not be made. */
	readonly missingCredits: number;
	/** Whether the submission is answered only after the first attempt of the callback. */
	readonly answersAfterCallback: boolean;
	outcome: Outcome;
	refunded: number;
	endedAt: number | null;
	/** `null` until the task has completed. */
	results: readonly Result[] | null;
}

/** The results of a completed task. Their bytes are made at the first download. */
export function resultsOf({ id, plan, padTo }: Task, expiresAt: number): Result[] {
	return plan.files.map(({ suffix, contentType, content, index, name }) => ({
		index,
		name,
		file: { name: `${id}-${suffix}`, contentType, content, expiresAt, padTo },
	}));
}

/** A task is reported as submitted until this share of its time has passed. */
const SUBMITTED_SHARE = 0.1;

export type Stage = 'submitted' | 'running' | 'completed' | 'failed';

/**
 * @param now clock milliseconds
 * @returns `share` of its time from 0 to 1; 1 only when the task has completed
 */
export function progressOf(task: Task, now: number): { stage: Stage; share: number } {
	const spent = (task.endedAt ?? now) - task.createdAt;
	const share =
		task.durationMs === null ? 0.5 : Math.min(0.99, spent / Math.max(1, task.durationMs));
	if (task.endedAt === null)
		return { stage: share < SUBMITTED_SHARE ? 'submitted' : 'running', share };
	return task.outcome.status === 'completed'
		? { stage: 'completed', share: 1 }
		: { stage: 'failed', share };
}
