import { z } from '../util/vendor/zod';

/** Answer to every asynchronous submission (spec, Submission acknowledgement). */
export const acknowledgement = z.object({
	code: z.number().optional(),
	data: z
		.array(z.object({ status: z.string().optional(), task_id: z.string().min(1) }).passthrough())
		.min(1),
});

/** Balance of the key that asks (spec, Balance record). `-1` stands for "no limit". */
export const balanceRecord = z
	.object({
		success: z.literal(true),
		remain_balance: z.number(),
		remain_credits: z.number(),
		used_balance: z.number(),
		used_credits: z.number(),
		unlimited_quota: z.boolean(),
	})
	.passthrough();

/** A balance look-up that the service could not answer; it may come with HTTP 200. */
export const balanceFailure = z.object({ success: z.literal(false), message: z.string().optional() });

export const balanceAnswer = z.union([balanceRecord, balanceFailure]);

/** A stored picture, public for 72 hours (spec, Uploaded image record). */
export const uploadRecord = z
	.object({
		url: z.string().url(),
		filename: z.string().optional(),
		content_type: z.string().optional(),
		bytes: z.number().optional(),
		created_at: z.number().optional(),
	})
	.passthrough();

/** The error envelope (spec, Errors); the upload endpoint leaves `code` out, the re-roll one numbers its own. */
export const errorEnvelope = z.object({
	error: z.object({
		code: z.union([z.number(), z.string()]).nullish(),
		message: z.string().optional(),
		type: z.string().optional(),
	}),
});

const taskError = z
	.object({ message: z.string().optional(), code: z.union([z.string(), z.number()]).nullish() })
	.passthrough();

/**
 * A task's record as any family sends it: image, grid, music and video differ in what `result` holds and in
 * which fields stand at the top, so only what all of them mean alike is named here (spec, Resources).
 */
export const taskRecord = z
	.object({
		id: z.string().optional(),
		task_id: z.string().optional(),
		status: z.string().min(1),
		progress: z.union([z.number(), z.string()]).nullish(),
		created: z.number().nullish(),
		/** Seconds from submission to the end that the service expects; image records alone are shown with it. */
		estimated_time: z.unknown(),
		completed: z.number().nullish(),
		cost: z.number().nullish(),
		credits_cost: z.number().nullish(),
		usage: z.record(z.unknown()).nullish(),
		error: z.union([taskError, z.string()]).nullish(),
		fail_reason: z.string().nullish(),
		result: z.unknown(),
	})
	.passthrough();

export type TaskRecord = z.infer<typeof taskRecord>;

const envelope = z.object({ data: z.unknown() }).passthrough();

/**
 * Takes a task's record out of an answer or a callback, be it bare (`{ id, status … }`) or enveloped
 * (`{ code, data: { … } }`). Returns `undefined` for anything else.
 */
export function readTaskRecord(answer: unknown): TaskRecord | undefined {
	const bare = taskRecord.safeParse(answer);
	if (bare.success) return bare.data;
	const wrapped = envelope.safeParse(answer);
	if (!wrapped.success) return undefined;
	const inner: unknown = Array.isArray(wrapped.data.data) ? wrapped.data.data[0] : wrapped.data.data;
	const record = taskRecord.safeParse(inner);
	return record.success ? record.data : undefined;
}

/** Answer to a look at a task. */
export const taskAnswer = z.unknown().transform((answer, issues): TaskRecord => {
	const record = readTaskRecord(answer);
	if (record) return record;
	issues.addIssue({ code: z.ZodIssueCode.custom, message: 'is not a task record' });
	return z.NEVER;
});

/** A task the service has taken: its id, and its record if the answer already held it. */
export interface TakenTask {
	taskId: string;
	record?: TaskRecord;
}

/**
 * Answer to a submission. An operation that is done at once (tag enhancement) may answer with the finished task in
 * the acknowledgement's place; the spec does not show which.
 */
export const submissionAnswer = z.unknown().transform((answer, issues): TakenTask => {
	const record = readTaskRecord(answer);
	const acknowledged = acknowledgement.safeParse(answer);
	const taskId = acknowledged.data?.data[0]?.task_id ?? record?.task_id ?? record?.id;
	if (taskId !== undefined) return record?.result === undefined ? { taskId } : { taskId, record };
	issues.addIssue({ code: z.ZodIssueCode.custom, message: 'has no task id' });
	return z.NEVER;
});

/** A music track (spec, Music task); other fields of it are not shown. */
export const musicResult = z
	.object({ music: z.array(z.object({ audio_url: z.string().optional() }).passthrough()) })
	.passthrough();

/** What `result` of an image task holds (spec, Image task record). */
export const imageResult = z
	.object({
		images: z.array(
			z
				.object({
					url: z.union([z.array(z.string()), z.string().transform((url) => [url])]),
					expires_at: z.number().nullish(),
				})
				.passthrough(),
		),
	})
	.passthrough();

/** The pictures of a finished grid task (spec, Grid-image task). */
export const gridRecord = z
	.object({
		action: z.string().optional(),
		grid_image_url: z.string().nullish(),
		image_urls: z.array(z.string()).nullish(),
		buttons: z.array(z.record(z.unknown())).nullish(),
	})
	.passthrough();
