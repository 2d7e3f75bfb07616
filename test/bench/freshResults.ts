import { setTimeout as delay } from 'node:timers/promises';
import type { Host } from '../../sandbox/host';
import type { Sandbox } from '../../sandbox/service';
import { Arrivals } from './support/arrivals';
import { ALTERNATIVE, singlePicture, type Way, WAY_TITLES, WAYS } from './support/singlePicture';
import { clearService, type Measurement } from './support/stage';
import { median, quantile } from './support/statistics';
import { millis, ratio, table, metOrMissed } from './support/table';

const SAMPLES = 24;
const INTERVAL_S = 4;
/** Durations are spread evenly over one interval, so that no rhythm of polling is favoured. */
const SHORTEST_MS = 6_000;
const CALLBACK_GOAL_MS = 150;

/** Milliseconds from the end of each task at the service to the call of the node behind. */
async function lags(host: Host, sandbox: Sandbox, arrivals: Arrivals, url: string): Promise<number[]> {
	clearService(sandbox);
	arrivals.at.clear();
	for (let sample = 0; sample < SAMPLES; sample++) {
		sandbox.durations.set({ image: SHORTEST_MS + (sample / SAMPLES) * INTERVAL_S * 1_000 });
		await host.api.raw.post(url, {});
		// One after the other, so that what is measured is a wait, not a queue.
		while (sandbox.tasks.list().length <= sample) await delay(10);
		await delay(200);
	}
	const deadline = Date.now() + 30_000;
	while (arrivals.at.size < SAMPLES) {
		if (Date.now() > deadline) throw new Error(`Only ${arrivals.at.size} of ${SAMPLES} workflows went on.`);
		await delay(50);
	}
	return sandbox.tasks.list().map(({ id, endedAt }) => (arrivals.at.get(id) ?? NaN) - (endedAt ?? NaN));
}

/** How long a finished picture lies at the service before the workflow goes on with it. */
export const freshResults: Measurement = {
	name: 'fresh',
	title: 'Fresh results',
	about: `From "completed at the service" to the next node: ${SAMPLES} executions each, a look every ${INTERVAL_S} s.`,
	usually: '2 min',
	async run({ host, sandbox, note }) {
		const arrivals = await Arrivals.open();
		try {
			const found: Record<Way, number[]> = { callback: [], resume: [], poll: [], loop: [] };
			const workflows = singlePicture(sandbox.url, arrivals.url, INTERVAL_S);
			for (const way of WAYS) {
				note(way);
				const { id } = await host.importWorkflow(workflows[way]);
				await host.activate(id);
				found[way] = await lags(host, sandbox, arrivals, await host.webhookUrl(id));
				await host.deactivate(id);
			}
			const { callback, resume, poll, loop } = found;
			const row = (way: Way, alternative?: Way) => [
				WAY_TITLES[way],
				millis(median(found[way])),
				millis(quantile(found[way], 0.9)),
				millis(Math.max(...found[way])),
				alternative ? ratio(median(found[way]), median(found[alternative])) : '1',
			];
			const half = (INTERVAL_S * 1_000) / 2;
			return {
				tables: [
					table(
						['way to wait', 'median', '90 %', 'longest', 'ours ÷ alternative'],
						[row('callback', ALTERNATIVE.callback), row('resume'), row('poll', ALTERNATIVE.poll), row('loop')],
					),
				],
				remarks: [
					`callback: median ${millis(median(callback))}, goal ${CALLBACK_GOAL_MS} ms: ${metOrMissed(median(callback) < CALLBACK_GOAL_MS)}; ${ratio(median(callback), median(loop))} of the loop's.`,
					`poll: median ${millis(median(poll))}, goal ${half} ms: ${metOrMissed(median(poll) < half)}.`,
					`Behind "On Webhook Call" (${millis(median(resume))}) nobody has asked the service whether the call is true.`,
				],
			};
		} finally {
			await arrivals.close();
		}
	},
};
