import { z } from 'zod/v3';
import type { Chat } from '../chat/chat';
import type { ScriptedReply } from '../chat/replies';
import { callbackBody } from '../core/deliveries/announce';
import type { Delivery } from '../core/deliveries/delivery';
import { invalid } from '../core/errors';
import type { FaultBook } from '../core/faults/faultBook';
import {
	SANDBOX_KEYS,
	type DurationTable,
	type Settings,
	type SettingsChange,
} from '../core/options';
import type { Service } from '../core/service';
import type { KeyOptions } from '../core/store/accounts';
import type { RequestFilter } from '../core/store/requests';
import { failed, FAMILIES, progressOf, type Family, type Task } from '../core/store/tasks';
import { current, endTask } from '../core/tasks/lifecycle';
import {
	Originals,
	type OriginalGridOptions,
	type OriginalVideoOptions,
	type UploadedTrackOptions,
} from './originals';

/** A callback to send by hand, genuine or forged. */
export const handCallbackSchema = z
	.object({
		/** The task of the callback. `base` and `body` default to the task's own. */
		taskId: z.string().optional(),
		/** The base address; `/callback` is appended. */
		base: z.string().optional(),
		body: z.unknown(),
		/** Number of copies; default 1. */
		copies: z.number().int().min(1).max(1000).optional(),
		/** Whether all copies are sent at the same time, rather than one after the other. */
		simultaneous: z.boolean().optional(),
		kind: z.enum(['forged', 'manual', 'duplicate']).optional(),
	})
	.strict();

export type HandCallback = z.output<typeof handCallbackSchema>;

export const finishSchema = z
	.object({
		/** The reason, where the task is to fail. */
		failure: z.object({ message: z.string(), code: z.string().optional() }).strict().optional(),
	})
	.strict()
	.default({});

export type Failure = NonNullable<z.output<typeof finishSchema>['failure']>;

export const finishAllSchema = z
	.object({ family: z.enum(FAMILIES).optional() })
	.strict()
	.default({});

/** The sandbox's own controls: the same for a program and over the admin paths. */
export type Controls = ReturnType<typeof createControls>;

/** A task with everything that the sandbox knows about it. */
export type TaskView = ReturnType<typeof taskView>;

/** The controls of one service. */
export function createControls(service: Service, chat: Chat) {
	const originals = new Originals(service);
	const view = (task: Task) => taskView(service, task);
	const faults: Pick<FaultBook, 'add' | 'list' | 'remove' | 'clear'> = service.faults;
	return {
		faults,
		ledger: () => service.ledger.report(),
		requests: {
			list: (filter?: RequestFilter) => service.requests.list(filter),
			clear: () => service.requests.reset(),
		},
		deliveries: {
			list: () => service.deliveries.list(),
			/**
			 * Sends a callback by hand, genuine or forged.
			 * @returns its log entries, in their state before it is sent
			 * @throws ServiceError 400 without an address, and without a task that has one
			 */
			send: (callback: HandCallback) => sendByHand(service, callback),
		},
		tasks: {
			list: () => [...service.tasks.values()].map(view),
			get(id: string): TaskView | undefined {
				const task = service.tasks.get(id);
				return task && view(task);
			},
			/**
			 * Ends a task now. One that was planned to fail does so.
			 * @returns the task, or `undefined` for an unknown id
			 */
			finish(id: string, failure?: Failure): TaskView | undefined {
				const task = service.tasks.get(id);
				if (!task) return undefined;
				endTask(service, task, failure && failed(failure.message, failure.code));
				return view(task);
			},
			/** Ends all tasks that are still running, or those of a family, in the order of their acceptance. */
			finishAll(family?: Family): TaskView[] {
				const running = [...service.tasks.values()].filter(
					(task) => task.endedAt === null && (family ?? task.family) === task.family,
				);
				for (const task of running) endTask(service, task);
				return running.map(view);
			},
		},
		/** Tasks for which the spec shows no endpoint; free, and not in the ledger. */
		originals: {
			/** An uploaded track. */
			track: (options?: UploadedTrackOptions) => view(originals.track(options)),
			/** A grid or a single picture to work on. */
			grid: (options?: OriginalGridOptions) => view(originals.grid(options)),
			/** A video to extend or to refer to. */
			video: (options?: OriginalVideoOptions) => view(originals.video(options)),
		},
		chat: {
			/** Tokens and credits of every chat request, and their sums. */
			bill: () => chat.bill.report(),
			/** Prepares answers; each is used for the first request that matches it. */
			script: (...replies: ScriptedReply[]) => chat.replies.add(replies),
			/** Prepared answers that were not used yet. */
			scripted: (): readonly ScriptedReply[] => chat.replies.list(),
			clearScript: () => chat.replies.reset(),
		},
		keys: {
			list: () => service.accounts.list(),
			set: (options: KeyOptions) => service.accounts.set(options),
		},
		/** Sets the remaining credits of a key. */
		setBalance: (credits: number, key: string = SANDBOX_KEYS.default) =>
			service.accounts.set({ key, credits }),
		setUnlimited: (unlimited: boolean, key: string = SANDBOX_KEYS.default) =>
			service.accounts.set({ key, unlimited }),
		durations: {
			get: (): DurationTable => ({ ...service.durations }),
			set: (changes: Partial<DurationTable>): DurationTable => ({
				...Object.assign(service.durations, changes),
			}),
		},
		settings: {
			get: (): Settings => ({ ...service.settings }),
			set({ linkTtl, ...changes }: SettingsChange): Settings {
				Object.assign(service.settings, changes);
				Object.assign(service.settings.linkTtl, linkTtl);
				return { ...service.settings };
			},
		},
		reset() {
			service.reset();
			chat.reset();
		},
	};
}

function taskView(service: Service, task: Task) {
	const { plan: _plan, results, outcome, ...known } = current(service, task);
	/** With the service's own number, counted from 1, and their name: a stem's, or `grid`. */
	const files = (results ?? []).map(({ file, index, name }) => ({
		url: service.files.url(file),
		index,
		name,
	}));
	return {
		...known,
		stage: progressOf(task, service.clock.now()).stage,
		/** Why it failed, or will fail. */
		failure: outcome.status === 'failed' ? outcome.message : null,
		/** Links of its results. */
		urls: files.map(({ url }) => url),
		results: files,
	};
}

function sendByHand(service: Service, callback: HandCallback): Delivery[] {
	const { taskId, copies = 1, simultaneous, kind = 'manual' } = callback;
	const task = taskId === undefined ? undefined : service.tasks.get(taskId);
	const base = callback.base ?? task?.webhook;
	if (base === undefined || base === null)
		throw invalid('base: is required where the task has no webhook');
	const body =
		callback.body === undefined && task
			? callbackBody(service, current(service, task))
			: (callback.body ?? null);
	const noted = Array.from({ length: copies }, () =>
		service.deliveries.record({ kind, taskId: taskId ?? null, base, body }),
	);
	service.lifetime.background(() =>
		service.deliveries.sendAll(noted, simultaneous ? 'simultaneous' : 'sequential'),
	);
	return noted;
}
