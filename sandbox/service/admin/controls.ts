import type { ChatBillReport } from '../chat/bill';
import type { ScriptedReply } from '../chat/replies';
import type { Delivery } from '../core/deliveries/delivery';
import type { FaultRule, FaultRuleInput } from '../core/faults/rule';
import type { Settings, SettingsChange } from '../core/options';
import type { Account, KeyOptions } from '../core/store/accounts';
import type { LedgerReport } from '../core/store/ledger';
import type { RequestFilter, RequestRecord } from '../core/store/requests';
import type { Family, Stage, Task } from '../core/store/tasks';
import type { DurationTable } from '../core/tasks/durations';
import type { OriginalGridOptions, OriginalVideoOptions, UploadedTrackOptions } from './originals';

/** A task with everything that the sandbox knows of it. */
export interface TaskView extends Omit<Task, 'plan' | 'results' | 'outcome'> {
	stage: Stage;
	/** Why it failed, or will fail. */
	failure: string | null;
	/** Links of its results. */
	urls: string[];
	/** Its results with the service's own number, counted from 1, and their name: a stem's, or `grid`. */
	results: ReadonlyArray<{ url: string; index: number | null; name: string | null }>;
}

/** A callback to send by hand, genuine or forged. */
export interface HandCallback {
	/** The task of the callback. `base` and `body` default to the task's own. */
	taskId?: string | undefined;
	/** The base address; `/callback` is appended. */
	base?: string | undefined;
	body?: unknown;
	/** Number of copies; default 1. */
	copies?: number;
	/** Whether all copies are sent at the same time, rather than one after the other. */
	simultaneous?: boolean;
	kind?: 'forged' | 'manual' | 'duplicate';
}

/** The reason of a failure. */
export interface Failure {
	message: string;
	code?: string | undefined;
}

/** The sandbox's own controls: the same for a program and over the admin paths. */
export interface Controls {
	faults: {
		/** @throws ZodError when the rule is invalid */
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
		 * Sends a callback by hand, genuine or forged.
		 * @returns its log entries, in their state before it is sent
		 * @throws ServiceError 400 without an address, and without a task that has one
		 */
		send(callback: HandCallback): Delivery[];
	};
	tasks: {
		list(): TaskView[];
		get(id: string): TaskView | undefined;
		/**
		 * Ends a task now.
		 * @returns the task, or `undefined` for an unknown id
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
	chat: {
		/** Tokens and credits of every chat request, and their sums. */
		bill(): ChatBillReport;
		/** Prepares answers; each is used for the first request that matches it. */
		script(...replies: ScriptedReply[]): void;
		/** Prepared answers that were not used yet. */
		scripted(): readonly ScriptedReply[];
		clearScript(): void;
	};
	keys: { list(): Account[]; set(options: KeyOptions): Account };
	/** Sets the remaining credits of a key; default: the default key. */
	setBalance(credits: number, key?: string): Account;
	setUnlimited(unlimited: boolean, key?: string): Account;
	durations: { get(): DurationTable; set(changes: Partial<DurationTable>): DurationTable };
	settings: { get(): Settings; set(changes: SettingsChange): Settings };
	reset(): void;
}
