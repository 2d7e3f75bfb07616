import { Media } from '../media/media';
import { Deliveries } from './deliveries/deliveries';
import { dialectOf } from './dialects';
import { FaultBook } from './faults/faultBook';
import {
	SANDBOX_KEYS,
	settingsSchema,
	type DurationTable,
	type Options,
	type Settings,
} from './options';
import { References } from './references';
import { Accounts, type KeyOptions } from './store/accounts';
import { Files } from './store/files';
import { Ids } from './store/ids';
import { Ledger } from './store/ledger';
import { Requests } from './store/requests';
import { byFamily, type Family, type Task } from './store/tasks';
import type { Clock } from './time/clocks';
import { Lifetime } from './time/lifetime';

/** What the families of tasks differ in. */
export interface FamilyModule {
	/** Beginning of its paths. */
	readonly prefix: string;
	/** Path of the task query, with `{task_id}`, unless the option `taskPaths` has another. */
	readonly taskPath: string;
	/** Whether the spec shows its records in `data`. Else the dialect decides. */
	readonly isEnveloped: boolean;
	/** Clock milliseconds that its tasks take, unless the options have others. */
	readonly durationMs: number;
	/** A task's record, as the task query shows it. It is asked for tasks of the family only, which have its kind of plan. */
	record(service: Service, task: Task): object;
}

export type Families = Readonly<Record<Family, FamilyModule>>;

/** The state of the service, apart from HTTP. */
export interface Service {
	readonly families: Families;
	/** Path of the task query, with `{task_id}`. */
	readonly taskPaths: Readonly<Record<Family, string>>;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly lifetime: Lifetime;
	readonly settings: Settings;
	readonly durations: DurationTable;
	readonly accounts: Accounts;
	readonly ledger: Ledger;
	/** The accepted tasks, in the order of their acceptance. */
	readonly tasks: Map<string, Task>;
	readonly files: Files;
	readonly media: Media;
	readonly references: References;
	readonly faults: FaultBook;
	readonly deliveries: Deliveries;
	readonly requests: Requests;
	/** An unused task id, in the form of the dialect. */
	newTaskId(): string;
	/** Where clients reach it; known once it listens. */
	url: string;
	/** Forgets all tasks, requests, charges and callbacks; keys, durations and settings are as at the beginning. */
	reset(): void;
}

const USUAL_KEYS: readonly KeyOptions[] = [
	{ key: SANDBOX_KEYS.default },
	{ key: SANDBOX_KEYS.unlimited, unlimited: true },
	{ key: SANDBOX_KEYS.empty, credits: 0 },
	{ key: SANDBOX_KEYS.deleted, status: 'deleted' },
	{ key: SANDBOX_KEYS.forbidden, status: 'forbidden' },
];

export function createService(options: Options, families: Families): Service {
	const { clock } = options;
	const ids = new Ids(String(options.seed));
	const lifetime = new Lifetime(clock);
	const initialState = () => {
		const files = new Files(clock, () => service.url);
		const media = new Media();
		const ledger = new Ledger(clock);
		return {
			settings: settingsSchema.parse(options),
			durations: { ...byFamily((family) => families[family].durationMs), ...options.durations },
			accounts: new Accounts([...USUAL_KEYS, ...options.keys], ledger),
			ledger,
			tasks: new Map<string, Task>(),
			files,
			media,
			references: new References(files, media),
			deliveries: new Deliveries({
				clock,
				ids,
				lifetime,
				concurrency: options.callbackConcurrency,
				webhookQuery: () => service.settings.webhookQuery,
				addressRules: () => ({
					allowPrivate: service.settings.allowPrivateCallbacks,
					ownHosts: options.serviceHosts,
					ownAddress: new URL(service.url).host,
				}),
			}),
		};
	};
	const service: Service = {
		families,
		taskPaths: { ...byFamily((family) => families[family].taskPath), ...options.taskPaths },
		clock,
		ids,
		lifetime,
		...initialState(),
		// Both count on: no rule and no request has the number of an earlier one.
		faults: new FaultBook(),
		requests: new Requests(),
		newTaskId: () =>
			dialectOf(service.settings.dialect).numericIds ? ids.nextNumber('task') : ids.next('task'),
		url: options.publicUrl,
		reset() {
			lifetime.end();
			ids.startNewSeries();
			service.faults.clear();
			service.requests.reset();
			Object.assign(service, initialState());
		},
	};
	return service;
}
