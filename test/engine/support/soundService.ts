import type { INodeParameters } from 'n8n-workflow';

import type { Clock } from '../../../nodes/shared/util/clock';
import { pauseNode, type PauseSettings } from './pausedExecution';
import { type Replies, useScriptedService } from './scriptedService';
import {
	buySounds,
	completed,
	type Differences,
	numberTasks,
	RECORD,
	SOUNDS,
	soundRun,
} from './scriptedTasks';

/**
 * A scripted service for tests that buy sounds. Unless a test says otherwise, each submission buys a task of its own, task_1,
 * task_2 …, and the record of each is completed.
 */
export function useSoundService(time?: () => Clock) {
	const service = useScriptedService(time);
	beforeEach(() => {
		numberTasks(service);
		service.on('GET', RECORD, completed);
	});
	const bought = () => service.sent('POST', SOUNDS);
	return {
		service,
		/** Replies to submissions, one after the other; the last one stays. */
		onSubmit: (...replies: Replies) => service.on('POST', SOUNDS, ...replies),
		/** Replies to requests for any record. */
		onRecord: (...replies: Replies) => service.on('GET', RECORD, ...replies),
		/** Replies to requests for the record of one task. */
		onRecordOf: (taskId: string, ...replies: Replies) =>
			service.on('GET', `/v1/music/tasks/${taskId}`, ...replies),
		/** Buys a sound for each of `count` items. */
		buy: async (count = 1, options: INodeParameters = {}, more: Differences = {}) =>
			await buySounds(service, count, options, more),
		/** The same, pausing until the tasks have ended. */
		pause: async (
			count = 1,
			options: INodeParameters = {},
			{ given, ...more }: Differences = {},
			settings: PauseSettings = {},
		) => {
			const waits = { given: { waitMode: 'callback', ...given }, ...more };
			return await pauseNode(soundRun(service, count, options, waits), settings);
		},
		/** The submissions that arrived. */
		bought,
		/** Their prompts. */
		promptsSent: () => bought().map(({ body }) => (body as { prompt: string }).prompt),
		/** The requests for records that arrived. */
		recordsRead: () => service.sent('GET', RECORD),
	};
}

/** The task, if it has one, and the status of each item: "task_1: completed", "not submitted". */
export const statesOf = (json: ReadonlyArray<Record<string, unknown>> = []) =>
	json.map(({ taskId, status }) => [...(taskId === undefined ? [] : [taskId]), status].join(': '));

/** The status of each item. */
export const statusesOf = (json: ReadonlyArray<Record<string, unknown>> = []) =>
	json.map(({ status }) => status);
