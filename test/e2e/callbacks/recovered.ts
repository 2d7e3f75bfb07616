import { setTimeout as delay } from 'node:timers/promises';
import type { Host } from '../../../sandbox/host';

const PATIENCE_MS = 60_000;

/**
 * Waits until an n8n that was started again has gone through what its last end left behind. It accepts webhooks before that,
 * and n8n 2.41 then mistakes an execution that has just been resumed for one of those that were cut off.
 */
export async function untilRecovered(host: Host, mark: number): Promise<void> {
	const deadline = Date.now() + PATIENCE_MS;
	while (!host.log.since(mark).join('\n').includes('Editor is now accessible')) {
		if (Date.now() > deadline)
			throw new Error(`n8n did not start again. Its log ends with:\n${host.log.tail()}`);
		await delay(100);
	}
}
