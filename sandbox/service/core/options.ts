import type { WebhookQuery } from './deliveries/address';
import type { DialectName } from './dialects';
import type { KeyOptions } from './store/accounts';
import type { Family } from './store/tasks';
import type { DurationTable } from './tasks/durations';
import type { Clock } from './time/clock';

/** How a callback's body looks: `bare` is `{ id, status, … }`, `enveloped` is `{ code, data: { id, status, … } }`. */
export type CallbackShape = 'bare' | 'enveloped';

/**
 * What happens to `addInstrumental` and `addVocals` with a generated track as source: the task is accepted and fails, or
 * the submission is refused with 400.
 */
export type GeneratedSource = 'fail' | 'refuse';

/** Prefix of the sandbox's own paths. */
export const ADMIN_PREFIX = '/_sandbox';

export function isAdminPath(path: string): boolean {
	return path === ADMIN_PREFIX || path.startsWith(`${ADMIN_PREFIX}/`);
}

export interface SandboxOptions {
	/** How the sandbox answers what the spec does not show; default `plain`. */
	dialect?: DialectName;
	/** 0 (the default) takes a free port. */
	port?: number;
	/** Address to listen on; default 127.0.0.1. */
	host?: string;
	/** Base of the URLs in results, if clients reach the sandbox under another address. */
	publicUrl?: string;
	/** Determines ids and media. Default `sandbox`. */
	seed?: string | number;
	/**
	 * Whether the sandbox also refuses with 400 what the spec restricts or does not name without calling it an error: an
	 * unknown model or speed, `end_s` before `start_s`, a mask for a lite model, `<<<image_N>>>` beyond the images, a video
	 * without any input, a fifth cache marker. Default false.
	 */
	strict?: boolean;
	/** Models that a strict sandbox accepts in addition to those of the spec. */
	extraModels?: readonly string[];
	/** Values of a music `version` that are accepted in addition to those of the spec, which calls others an error. */
	extraVersions?: readonly string[];
	/** Default: the machine's own time. */
	clock?: Clock;
	/** Clock milliseconds that tasks take, by family. */
	durations?: Partial<DurationTable>;
	/** Whether callbacks may go to private hosts and any port. Default false, as at the service. */
	allowPrivateCallbacks?: boolean;
	callbackShape?: CallbackShape;
	/** Where `/callback` is appended to an address with a query: to the whole text (default) or to its path. */
	webhookQuery?: WebhookQuery;
	/** Clock milliseconds until a chat request is answered and its cache writes can be read; default 0. */
	chatLatency?: number;
	/** Whether `usage` separates cache writes by their lifetime; default true. */
	cacheTtlBreakdown?: boolean;
	/** Default `fail`. */
	generatedSource?: GeneratedSource;
	/** Host names that count as the service's own domain, besides its own address. */
	serviceHosts?: readonly string[];
	/** Callbacks that are sent at the same time; default 50. */
	callbackConcurrency?: number;
	/** Keys in addition to the usual ones, or changes to these. */
	keys?: readonly KeyOptions[];
	/** Clock milliseconds until the links of results expire, by family; default 24 hours, the spec's time for video. */
	linkTtl?: Partial<Record<Family, number>>;
	/**
	 * Paths of the task query, by family, with `{task_id}` in them. A family's tasks are found under its path only.
	 * Default `/v1/tasks/{task_id}`, for music `/v1/music/tasks/{task_id}`.
	 */
	taskPaths?: Partial<Record<Family, string>>;
}

/** Keys of every sandbox. */
export const SANDBOX_KEYS = {
	default: 'sandbox-key',
	unlimited: 'sandbox-key-unlimited',
	empty: 'sandbox-key-empty',
	deleted: 'sandbox-key-deleted',
	forbidden: 'sandbox-key-forbidden',
} as const;

export const USUAL_KEYS: readonly KeyOptions[] = [
	{ key: SANDBOX_KEYS.default },
	{ key: SANDBOX_KEYS.unlimited, unlimited: true },
	{ key: SANDBOX_KEYS.empty, credits: 0 },
	{ key: SANDBOX_KEYS.deleted, status: 'deleted' },
	{ key: SANDBOX_KEYS.forbidden, status: 'forbidden' },
];

/** Options that can be changed while the sandbox runs. */
export interface Settings {
	dialect: DialectName;
	strict: boolean;
	extraModels: readonly string[];
	extraVersions: readonly string[];
	allowPrivateCallbacks: boolean;
	callbackShape: CallbackShape;
	webhookQuery: WebhookQuery;
	linkTtl: Record<Family, number>;
	generatedSource: GeneratedSource;
	chatLatency: number;
	cacheTtlBreakdown: boolean;
}

const DAY = 24 * 60 * 60 * 1000;

export function initialSettings(options: SandboxOptions): Settings {
	return {
		dialect: options.dialect ?? 'plain',
		strict: options.strict ?? false,
		extraModels: options.extraModels ?? [],
		extraVersions: options.extraVersions ?? [],
		allowPrivateCallbacks: options.allowPrivateCallbacks ?? false,
		callbackShape: options.callbackShape ?? 'bare',
		webhookQuery: options.webhookQuery ?? 'text',
		generatedSource: options.generatedSource ?? 'fail',
		chatLatency: options.chatLatency ?? 0,
		cacheTtlBreakdown: options.cacheTtlBreakdown ?? true,
		linkTtl: { image: DAY, music: DAY, grid: DAY, video: DAY, ...options.linkTtl },
	};
}
