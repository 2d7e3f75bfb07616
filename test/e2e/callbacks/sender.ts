import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import axios from 'axios';
import pLimit from 'p-limit';
import { tally } from '../../support/tally';

/** What became of one callback. */
export interface Sent {
	taskId: string;
	/** Each try: when it began and ended, and the receiver's code, or none where no answer came. */
	tries: Array<{ at: number; endedAt: number; status: number | undefined; message: string }>;
	accepted: boolean;
}

export interface SenderRules {
	/** Callbacks on their way at the same time; by default 50, and fewer in the gate. */
	concurrency?: number;
	/** Milliseconds before each further try; the service's own by default. */
	pauses?: readonly number[];
	/** Milliseconds from one try to the next, so that callbacks come for a while; none by default. */
	pace?: number;
	/** Milliseconds to wait for an answer; as long as the service by default. */
	answerWithin?: number;
}

/** Spec, Events 5. */
const PAUSES = [10_000, 30_000, 60_000];

/** The same, for longer: beside other tests, n8n may take longer to start again than the service calls. */
export const PAUSES_WITH_KILLS = [...PAUSES, 60_000, 60_000];

const ANSWER_WITHIN_MS = 10_000;

const AT_ONCE = Number(process.env.MEDIAGEN_AT_ONCE ?? 50);

/**
 * Sends callbacks as the service does (spec, Events 5): again where the answer is not 2xx, or none comes in time, or the
 * connection fails; never after a 2xx or a 4xx. The sandbox's own delivery sends one callback per task as it ends; a flood
 * needs them counted out.
 */
export function createSender({
	concurrency = AT_ONCE,
	pauses = PAUSES,
	pace = 0,
	answerWithin = ANSWER_WITHIN_MS,
}: SenderRules = {}) {
	const gate = pLimit(concurrency);
	const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
	let nextAt = 0;

	async function turn(): Promise<void> {
		const now = Date.now();
		const at = Math.max(now, nextAt);
		nextAt = at + pace;
		await delay(at - now);
	}

	async function attempt(url: string, body: unknown): Promise<Sent['tries'][number]> {
		if (pace > 0) await turn();
		const at = Date.now();
		const request = axios.post<{ message?: string }>(url, body, {
			timeout: answerWithin,
			httpAgent: agent,
			proxy: false,
			validateStatus: () => true,
		});
		const { status, message } = await request.then(
			(answer) => ({ status: answer.status, message: String(answer.data?.message ?? '') }),
			(error: Error) => ({ status: undefined, message: error.message }),
		);
		return { at, endedAt: Date.now(), status, message };
	}

	return {
		/** Sends one callback until it is accepted, refused or given up. */
		async send(url: string, taskId: string, body: unknown): Promise<Sent> {
			const sent: Sent = { taskId, tries: [], accepted: false };
			for (const pause of [0, ...pauses]) {
				await delay(pause);
				const result = await gate(() => attempt(url, body));
				sent.tries.push(result);
				const { status } = result;
				sent.accepted = status !== undefined && status >= 200 && status < 300;
				if (sent.accepted || (status !== undefined && status >= 400 && status < 500)) break;
			}
			return sent;
		},
		close(): void {
			agent.destroy();
		},
	};
}

/** How often each answer was given, over all tries. */
export const answersOf = (sent: readonly Sent[]) =>
	tally(sent.flatMap(({ tries }) => tries.map(({ status = 'no answer' }) => status)));
