import { Chat } from '../chat/chat';
import { Deliveries } from './deliveries/deliveries';
import { FaultBook } from './faults/faultBook';
import { Durations } from './tasks/durations';
import { Lifetime } from './time/lifetime';
import { Media } from '../media/media';
import { initialSettings, USUAL_KEYS, type SandboxOptions, type Settings } from './options';
import { References } from './references';
import { Accounts } from './store/accounts';
import { Files } from './store/files';
import { Ids } from './store/ids';
import { Ledger } from './store/ledger';
import { Requests } from './store/requests';
import { Tasks } from './store/tasks';
import type { Clock } from './time/clock';
import { systemClock } from './time/realClocks';

/** Everything the service knows and does, apart from HTTP. */
export interface Service {
	readonly clock: Clock;
	readonly ids: Ids;
	readonly lifetime: Lifetime;
	readonly settings: Settings;
	readonly durations: Durations;
	readonly accounts: Accounts;
	readonly ledger: Ledger;
	readonly tasks: Tasks;
	readonly files: Files;
	readonly media: Media;
	readonly references: References;
	readonly faults: FaultBook;
	readonly deliveries: Deliveries;
	readonly requests: Requests;
	readonly chat: Chat;
	/** Where clients reach it; known once it listens. */
	url: string;
	/** Forgets all that happened since it was made; keys, durations and settings are as at the beginning. */
	reset(): void;
}

export function createService(options: SandboxOptions): Service {
	const clock = options.clock ?? systemClock;
	const ids = new Ids(String(options.seed ?? 'sandbox'));
	const lifetime = new Lifetime(clock);
	const files = new Files(clock, () => service.url);
	const media = new Media();
	const settings = initialSettings(options);
	const accounts = new Accounts([...USUAL_KEYS, ...(options.keys ?? [])]);
	const ledger = new Ledger(clock);
	const service: Service = {
		clock,
		ids,
		lifetime,
		settings,
		durations: new Durations(options.durations ?? {}),
		accounts,
		ledger,
		tasks: new Tasks(),
		files,
		media,
		references: new References(files, media),
		faults: new FaultBook(),
		deliveries: new Deliveries({
			clock,
			ids,
			lifetime,
			concurrency: options.callbackConcurrency ?? 50,
			addressRules: () => ({
				allowPrivate: service.settings.allowPrivateCallbacks,
				ownHosts: options.serviceHosts ?? [],
				ownAddress: new URL(service.url).host,
			}),
		}),
		requests: new Requests(),
		chat: new Chat({ clock, ids, lifetime, settings, accounts, ledger }),
		url: options.publicUrl?.replace(/\/+$/, '') ?? '',
		reset() {
			lifetime.end();
			ids.startNewSeries();
			Object.assign(service.settings, initialSettings(options));
			for (const part of [
				service.durations,
				service.accounts,
				service.ledger,
				service.tasks,
				files,
				media,
				service.deliveries,
				service.requests,
				service.chat,
			]) {
				part.reset();
			}
			service.faults.clear();
		},
	};
	return service;
}
