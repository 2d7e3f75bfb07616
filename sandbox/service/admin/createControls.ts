import type { Chat } from '../chat/chat';
import { callbackBody } from '../core/deliveries/announce';
import type { Delivery } from '../core/deliveries/delivery';
import { invalid } from '../core/errors';
import { SANDBOX_KEYS } from '../core/options';
import type { Service } from '../core/service';
import { progressOf, type Task } from '../core/store/tasks';
import { current, endTask } from '../core/tasks/lifecycle';
import type { Controls, HandCallback, TaskView } from './controls';
import { Originals } from './originals';

/** The controls of one service. */
export function createControls(service: Service, chat: Chat): Controls {
	const find = (id: string) => service.tasks.find(id);
	const originals = new Originals(service);
	return {
		faults: service.faults,
		ledger: () => service.ledger.report(),
		requests: {
			list: (filter) => service.requests.list(filter),
			clear: () => service.requests.reset(),
		},
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
				// A task that was planned to fail does so.
				endTask(
					service,
					task,
					failure && { status: 'failed', message: failure.message, code: failure.code ?? '' },
				);
				return taskView(service, task);
			},
			finishAll(family) {
				const running = service.tasks
					.list()
					.filter((task) => task.endedAt === null && (family ?? task.family) === task.family);
				for (const task of running) endTask(service, task);
				return running.map((task) => taskView(service, task));
			},
		},
		originals: {
			track: (options) => taskView(service, originals.track(options)),
			grid: (options) => taskView(service, originals.grid(options)),
			video: (options) => taskView(service, originals.video(options)),
		},
		chat: {
			bill: () => chat.bill.report(),
			script: (...replies) => chat.replies.add(replies),
			scripted: () => chat.replies.list(),
			clearScript: () => chat.replies.reset(),
		},
		keys: { list: () => service.accounts.list(), set: (options) => service.accounts.set(options) },
		setBalance: (credits, key = SANDBOX_KEYS.default) => service.accounts.set({ key, credits }),
		setUnlimited: (unlimited, key = SANDBOX_KEYS.default) =>
			service.accounts.set({ key, unlimited }),
		durations: {
			get: () => service.durations.all(),
			set: (changes) => service.durations.set(changes),
		},
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
	const { plan: _plan, results, outcome, ...known } = current(service, task);
	const files = (results ?? []).map(({ file, index, name }) => ({
		url: service.files.url(file),
		index,
		name,
	}));
	return {
		...known,
		stage: progressOf(task, service.clock.now()).stage,
		failure: outcome.status === 'failed' ? outcome.message : null,
		urls: files.map(({ url }) => url),
		results: files,
	};
}

function sendByHand(service: Service, callback: HandCallback): Delivery[] {
	const { taskId, copies = 1, simultaneous, kind = 'manual' } = callback;
	const task = taskId === undefined ? undefined : service.tasks.find(taskId);
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
