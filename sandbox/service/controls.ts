import { z } from 'zod/v3';
import type { Account, KeyOptions } from './entities/account';
import type { Delivery } from './entities/delivery';
import type { LedgerReport } from './entities/ledger';
import type { RequestRecord } from './entities/request';
import type { Family, Task } from './entities/task';
import { invalid } from './errors';
import type { FaultRule, FaultRuleInput } from './faults/rule';
import type { DurationTable } from './lifecycle/durations';
import { Originals, type OriginalGridOptions, type OriginalVideoOptions, type UploadedTrackOptions } from './lifecycle/originals';
import { filesOf } from './lifecycle/produce';
import { progressOf } from './lifecycle/progress';
import { current, settle } from './lifecycle/settle';
import { SANDBOX_KEYS, type Settings } from './options';
import type { Service } from './service';
import type { RequestFilter } from './store/requests';
import { callbackBody } from './views/callbackBody';

/** A task as the sandbox knows it, which is more than the service's records tell. */
export interface TaskView extends Omit<Task, 'plan' | 'result' | 'fate'> {
	stage: 'submitted' | 'running' | 'completed' | 'failed';
	/** Why it failed, or is going to. */
	failure: string | null;
	/** Links of its results. */
	urls: string[];
}

export type SettingsChange = Partial<Omit<Settings, 'linkTtl'>> & { linkTtl?: Partial<Settings['linkTtl']> | undefined };

/** A callback to be sent by hand, true or false. */
export interface HandCallback {
	/** Whose callback it is. Where `base` or `body` is left out, they are the task's own. */
	taskId?: string | undefined;
	/** The base address; `/callback` is appended. */
	base?: string | undefined;
	body?: unknown;
	/** How often; default 1. */
	copies?: number;
	/** All copies at the same moment, rather than one after the other. */
	simultaneous?: boolean;
	kind?: 'forged' | 'manual' | 'duplicate';
}

/** Why a task is to fail. */
export interface Failure {
	message: string;
	code?: string | undefined;
}

/** The sandbox's own knobs: the same for a program that holds it and for the admin paths. */
export interface Controls {
	faults: {
		/** @throws ZodError when the rule is not one */
		add(rule: FaultRuleInput): FaultRule;
		list(): FaultRule[];
		/** @returns whether there was such a rule */
		remove(id: string): boolean;
		clear(): void;
	};
	ledger(): LedgerReport;
	requests: { list(filter?: RequestFilter): RequestRecord[]; clear(): void };
	deliveries: {
		list(): Delivery[];
		/**
		 * Sends a callback by hand, true or false.
		 * @returns its log entries, as they are before it is sent
		 * @throws ServiceError 400 where there is neither an address nor a task that has one
		 */
		send(callback: HandCallback): Delivery[];
	};
	tasks: {
		list(): TaskView[];
		get(id: string): TaskView | undefined;
		/**
		 * Ends a task now.
		 * @returns the task, or `undefined` when there is none of that id
		 */
		finish(id: string, failure?: Failure): TaskView | undefined;
		/** Ends all tasks that are still running, or those of a family, in the order of their acceptance. */
		finishAll(family?: Family): TaskView[];
	};
	/** Tasks for which the spec shows no endpoint; free, and not in the ledger. */
	originals: {
		/** An uploaded track. */
		track(options?: UploadedTrackOptions): TaskView;
		/** A grid or a single picture to work on. */
		grid(options?: OriginalGridOptions): TaskView;
		/** A video to extend or to refer to. */
		video(options?: OriginalVideoOptions): TaskView;
	};
	keys: { list(): Account[]; set(options: KeyOptions): Account };
	/** Sets what is left on a key, in credits; without a key, on the default one. */
	setBalance(credits: number, key?: string): Account;
	setUnlimited(unlimited: boolean, key?: string): Account;
	durations: { get(): DurationTable; set(changes: Partial<DurationTable>): DurationTable };
	settings: { get(): Settings; set(changes: SettingsChange): Settings };
	reset(): void;
}

export const handCallbackSchema = z
	.object({
		base: z.string().optional(),
		body: z.unknown(),
		copies: z.number().int().min(1).max(1000).optional(),
		simultaneous: z.boolean().optional(),
		taskId: z.string().optional(),
		kind: z.enum(['forged', 'manual', 'duplicate']).optional(),
	})
	.strict();

export function createControls(service: Service): Controls {
	const find = (id: string) => service.tasks.find(id);
	const originals = new Originals(service);
	return {
		faults: service.faults,
		ledger: () => service.ledger.report(),
		requests: { list: (filter) => service.requests.list(filter), clear: () => service.requests.reset() },
		deliveries: {
			list: () => service.deliveries.list(),
			send: (callback) => sendByHand(service, callback),
		},
		tasks: {
			list: () => service.tasks.list().map((task) => taskView(service, task)),
			get(id) {
				const task = find(id);
				return task && taskView(service, task);
			},
			finish(id, failure) {
				const task = find(id);
				if (!task) return undefined;
				// One that was going to fail by itself does so.
				settle(service, task, failure && { status: 'failed', message: failure.message, code: failure.code ?? '' });
				return taskView(service, task);
			},
			finishAll(family) {
				const running = service.tasks.list().filter((task) => task.endedAt === null && (family ?? task.family) === task.family);
				for (const task of running) settle(service, task);
				return running.map((task) => taskView(service, task));
			},
		},
		originals: {
			track: (options) => taskView(service, originals.track(options)),
			grid: (options) => taskView(service, originals.grid(options)),
			video: (options) => taskView(service, originals.video(options)),
		},
		keys: { list: () => service.accounts.list(), set: (options) => service.accounts.set(options) },
		setBalance: (credits, key = SANDBOX_KEYS.default) => service.accounts.set({ key, credits }),
		setUnlimited: (unlimited, key = SANDBOX_KEYS.default) => service.accounts.set({ key, unlimited }),
		durations: { get: () => service.durations.all(), set: (changes) => service.durations.set(changes) },
		settings: {
			get: () => ({ ...service.settings }),
			set({ linkTtl, ...changes }) {
				Object.assign(service.settings, changes);
				Object.assign(service.settings.linkTtl, linkTtl);
				return { ...service.settings };
			},
		},
		reset: () => service.reset(),
	};
}

function taskView(service: Service, task: Task): TaskView {
	const { plan: _plan, result, fate, ...known } = current(service, task);
	return {
		...known,
		stage: progressOf(task, service.clock.now()).stage,
		failure: fate.status === 'failed' ? fate.message : null,
		urls: filesOf(result).map((file) => service.files.url(file)),
	};
}

function sendByHand(service: Service, callback: HandCallback): Delivery[] {
	const { taskId, copies = 1, simultaneous, kind = 'manual' } = callback;
	const task = taskId === undefined ? undefined : service.tasks.find(taskId);
	const base = callback.base ?? task?.webhook;
	if (base === undefined || base === null) throw invalid('base: is required where the task has no webhook');
	const body = callback.body === undefined && task ? callbackBody(service, current(service, task)) : (callback.body ?? null);
	const noted = Array.from({ length: copies }, () => service.deliveries.record({ kind, taskId: taskId ?? null, base, body }));
	service.lifetime.background(() => service.deliveries.sendAll(noted, simultaneous ? 'simultaneous' : 'sequential'));
	return noted;
}
