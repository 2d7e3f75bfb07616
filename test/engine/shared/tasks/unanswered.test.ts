import { setTimeout as delay } from 'node:timers/promises';

import { type Clock, clock } from '../../../../nodes/shared/util/clock';
import { ask, user } from '../../support/chatModel';
import { useScriptedService } from '../../support/scriptedService';
import { buySounds, completed, numberTasks, RECORD } from '../../support/scriptedTasks';

const SCALE = 5;

/** The machine's time, five times as fast, also while a request waits; the limits that n8n keeps are as much shorter. */
function scaledClock(): Clock {
	const began = Date.now();
	return {
		now: () => began + SCALE * (Date.now() - began),
		sleep: async (ms) => await delay(ms / SCALE),
		toHostMs: (ms) => ms / SCALE,
	};
}

const service = useScriptedService(scaledClock);

beforeEach(() => numberTasks(service));

test('a request for a task that is never answered is followed by another one within the time limit', async () => {
	service.on('GET', RECORD, { raw: () => undefined }, completed);
	const { json } = await buySounds(service, 1, { timeout: 80 });
	expect(json).toEqual([expect.objectContaining({ taskId: 'task_1', status: 'completed' })]);
});

test('a balance that is never answered holds a question up no longer than its "Timeout"', async () => {
	service.on('GET', '/v1/balance', { raw: () => undefined });
	const began = clock.now();
	const setup = { credential: service.credential(), options: { keepBalance: 1, timeout: 10 } };
	const { error } = await ask(setup, user('Why?'));
	expect(error?.message).toContain('the balance could not be read');
	expect(clock.now() - began).toBeLessThan(60_000);
});
