import { setTimeout as delay } from 'node:timers/promises';
import type { Host, Note } from '../../sandbox/host';
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
/** Between the starts of two executions. */
const PAUSE_MS = 300;

/** Activates the workflow of each way. */
async function activateAll(host: Host, sandbox: Sandbox, arrivals: Arrivals): Promise<Array<{ way: Way; id: string; url: string }>> {
	const workflows = singlePicture(sandbox.url, arrivals.url, INTERVAL_S);
	const active = [];
	for (const way of WAYS) {
		const { id } = await host.importWorkflow(workflows[way]);
		await host.activate(id);
		active.push({ way, id, url: await host.webhookUrl(id) });
	}
	return active;
}

/**
 * Milliseconds from the end of each task at the service to the call of the node behind. The ways take turns, so that none of them has
 * the colder n8n or the busier machine. The first round only warms n8n up.
 */
async function lags(host: Host, sandbox: Sandbox, arrivals: Arrivals, note: Note): Promise<Record<Way, number[]>> {
	clearService(sandbox);
	const active = await activateAll(host, sandbox, arrivals);
	for (let round = 0; round <= SAMPLES; round++) {
		note(`round ${round + 1} of ${SAMPLES + 1}`);
		sandbox.durations.set({ image: SHORTEST_MS + (round / SAMPLES) * INTERVAL_S * 1_000 });
		for (const [turn, { url }] of active.entries()) {
			await host.api.raw.post(url, {});
			while (sandbox.tasks.list().length <= round * WAYS.length + turn) await delay(10);
			// One ends after the other, so that what is measured is a wait, not a queue.
			await delay(PAUSE_MS);
		}
	}
	const tasks = sandbox.tasks.list();
	const deadline = Date.now() + 30_000;
	while (arrivals.at.size < tasks.length) {
		if (Date.now() > deadline) throw new Error(`Only ${arrivals.at.size} of ${tasks.length} workflows went on.`);
		await delay(50);
	}
	for (const { id } of active) await host.deactivate(id);
	const found: Record<Way, number[]> = { callback: [], resume: [], poll: [], loop: [] };
	for (const [index, { id, endedAt }] of tasks.entries()) {
		const way = WAYS[index % WAYS.length];
		if (way && index >= WAYS.length) found[way].push((arrivals.at.get(id) ?? NaN) - (endedAt ?? NaN));
	}
	return found;
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
			const found = await lags(host, sandbox, arrivals, note);
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
