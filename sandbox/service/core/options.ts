import { z } from 'zod/v3';
import { DIALECTS } from './dialects';
import { keySchema } from './store/accounts';
import { byFamily, type Family } from './store/tasks';
import type { Clock } from './time/clocks';
import { systemClock } from './time/clocks';

/** Prefix of the sandbox's own paths. */
export const ADMIN_PREFIX = '/_sandbox';

/** The spec's time for the links of a video. */
const DAY = 24 * 60 * 60 * 1000;
const linkTtl = z.number().min(0);

const perFamily = <Value extends z.ZodTypeAny>(value: Value) =>
	z
		.object(byFamily(() => value))
		.partial()
		.strict();

/** Options that can be changed while the sandbox runs, with their defaults. */
export const settingsSchema = z.object({
	/** How the sandbox answers what the spec does not show. */
	dialect: z.enum(DIALECTS).default('plain'),
	/**
	 * Whether the sandbox also refuses with 400 what the spec restricts or does not name without calling it an error: an
	 * unknown model or speed, `end_s` before `start_s`, a mask for a lite model, `<<<image_N>>>` beyond the images, a video
	 * without any input, a fifth cache marker, a marker outside a content block, a tool call without its result.
	 */
	strict: z.boolean().default(false),
	/** Models that a strict sandbox accepts in addition to those of the spec. */
	extraModels: z.array(z.string()).readonly().default([]),
	/** Values of a music `version` that are accepted in addition to those of the spec, which calls others an error. */
	extraVersions: z.array(z.string()).readonly().default([]),
	/** Whether callbacks may go to private hosts and any port. Off at the service. */
	allowPrivateCallbacks: z.boolean().default(false),
	/** How a callback's body looks: `bare` is `{ id, status, … }`, `enveloped` is `{ code, data: { id, status, … } }`. */
	callbackShape: z.enum(['bare', 'enveloped']).default('bare'),
	/** Where `/callback` is appended to an address with a query: to the whole text or to its path. */
	webhookQuery: z.enum(['text', 'path']).default('text'),
	/**
	 * What happens to `addInstrumental` and `addVocals` with a generated track as source: the task is accepted and fails, or
	 * the submission is refused with 400.
	 */
	generatedSource: z.enum(['fail', 'refuse']).default('fail'),
	/** Clock milliseconds until a chat request is answered and its cache writes can be read. */
	chatLatency: z.number().min(0).default(0),
	/** Clock milliseconds between two pieces of a streamed chat answer. */
	chatPieceDelay: z.number().min(0).default(0),
	/** Whether `usage` separates cache writes by their lifetime. */
	cacheTtlBreakdown: z.boolean().default(true),
	/** Clock milliseconds until the links of results expire, by family. */
	linkTtl: z
		.object(byFamily(() => linkTtl.default(DAY)))
		.strict()
		.default({}),
});

/** Clock milliseconds from acceptance to the end; `null` holds tasks until they are finished by hand. */
export const durationsSchema = perFamily(z.number().min(0).nullable());

export const optionsSchema = settingsSchema.extend({
	/** 0 takes a free port. */
	port: z.number().default(0),
	/** Address to listen on. */
	host: z.string().min(1).default('127.0.0.1'),
	/** Base of the URLs in results, if clients reach the sandbox under another address. */
	publicUrl: z
		.string()
		.transform((url) => url.replace(/\/+$/, ''))
		.default(''),
	/** Determines ids and media. */
	seed: z.union([z.string(), z.number()]).default('sandbox'),
	/** Default: the machine's own time. */
	clock: z.custom<Clock>().default(systemClock),
	/** Clock milliseconds that tasks take, by family. A change holds for tasks that are accepted after it. */
	durations: durationsSchema.default({}),
	/** Host names that count as the service's own domain, besides its own address. */
	serviceHosts: z.array(z.string()).readonly().default([]),
	/** Callbacks that are sent at the same time. */
	callbackConcurrency: z.number().default(50),
	/** Keys in addition to the usual ones, or changes to these. */
	keys: z.array(keySchema).readonly().default([]),
	/**
	 * Paths of the task query, by family, with `{task_id}` in them. A family's tasks are found under its path only.
	 * Default `/v1/tasks/{task_id}`, for music `/v1/music/tasks/{task_id}`.
	 */
	taskPaths: perFamily(z.string()).default({}),
});

export type SandboxOptions = z.input<typeof optionsSchema>;

/** The options, with their defaults. */
export type Options = z.output<typeof optionsSchema>;

export type Settings = z.output<typeof settingsSchema>;

/** What is changed; the rest stays. */
export const settingsChange = settingsSchema
	.extend({ linkTtl: perFamily(linkTtl) })
	.partial()
	.strict();

export type SettingsChange = z.output<typeof settingsChange>;

export type DurationTable = Record<Family, number | null>;

/** Keys of every sandbox. */
export const SANDBOX_KEYS = {
	default: 'sandbox-key',
	unlimited: 'sandbox-key-unlimited',
	empty: 'sandbox-key-empty',
	deleted: 'sandbox-key-deleted',
	forbidden: 'sandbox-key-forbidden',
} as const;
