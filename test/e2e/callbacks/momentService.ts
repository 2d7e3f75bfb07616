import type { IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod/v3';
import { type LocalServer, openServer } from '../../support/server';
import { createSender, type Sent } from './sender';

/** What a prompt tells the service, as JSON. */
const momentPrompt = z.object({
	run: z.number(),
	row: z.number(),
	/** Milliseconds from the first request for the first row's task to its end; negative: it has ended by then. */
	offset: z.number(),
});

type MomentPrompt = z.infer<typeof momentPrompt>;

const submission = z.object({
	prompt: z.string().transform((text) => momentPrompt.parse(JSON.parse(text))),
	webhook: z.string(),
});

interface Task extends MomentPrompt {
	id: string;
	webhook: string;
	/** Epoch milliseconds. */
	endedAt?: number;
	asked: boolean;
}

/** An execution behind its pause. */
export interface Arrival {
	at: number;
	/** Items with a finished picture. */
	completed: number;
}

/** What an answer takes over a real network: the tasks of many rows are asked for one after the other. */
const ANSWER_MS = 30;

const idOf = (run: number, row: number) =>
	`task_${(run * 1_000 + row).toString(16).padStart(24, '0')}`;

function recordOf({ id, endedAt }: Task): object {
	if (endedAt === undefined) return { id, status: 'in_progress', progress: 50, result: null };
	const url = [`http://127.0.0.1:9/${id}.png`];
	const images = [{ url, expires_at: Math.floor(endedAt / 1_000) + 3_600 }];
	return { id, status: 'completed', progress: 100, result: { images } };
}

/**
 * A service whose tasks end at exact moments. The first row's task of a run ends as its prompt says, all others at once; each is
 * called back in the moment of its end, as the spec says (Events 5).
 */
export class MomentService {
	readonly arrivals = new Map<number, Arrival[]>();

	readonly callbacks: Array<Promise<Sent>> = [];

	private readonly tasks = new Map<string, Task>();

	private readonly sender = createSender();

	private server: LocalServer | undefined;

	static async open(): Promise<MomentService> {
		const service = new MomentService();
		service.server = await openServer((request, response, body) => {
			const send = (status: number, json: unknown) =>
				response
					.writeHead(status, { 'content-type': 'application/json' })
					.end(JSON.stringify(json));
			service.answer(request, body).then(
				(json) => send(json === undefined ? 404 : 200, json ?? {}),
				(error: unknown) => send(400, { error: { message: String(error) } }),
			);
		});
		return service;
	}

	get url(): string {
		return this.server?.url ?? '';
	}

	/** When the last task of a run ended; `undefined` before. */
	endOf(run: number): number | undefined {
		const tasks = [...this.tasks.values()].filter((task) => task.run === run);
		const ends = tasks.flatMap(({ endedAt }) => endedAt ?? []);
		return ends.length === 0 || ends.length < tasks.length ? undefined : Math.max(...ends);
	}

	reset(): void {
		this.arrivals.clear();
		this.tasks.clear();
		this.callbacks.length = 0;
	}

	async close(): Promise<void> {
		this.sender.close();
		await this.server?.close();
	}

	private async answer(request: IncomingMessage, body: Buffer): Promise<unknown> {
		const url = new URL(request.url ?? '', this.url);
		if (request.method === 'POST') return await this.submit(JSON.parse(body.toString()));
		const taskId = url.pathname.split('/').pop() ?? '';
		const task = this.tasks.get(taskId);
		if (task && url.pathname.startsWith('/arrived/')) return this.arrive(task, url);
		if (task && !task.asked) this.ask(task);
		const record = task && recordOf(task);
		await delay(ANSWER_MS);
		return record && { code: 200, data: record };
	}

	private async submit(body: unknown): Promise<unknown> {
		const { prompt, webhook } = submission.parse(body);
		const task: Task = { ...prompt, webhook, id: idOf(prompt.run, prompt.row), asked: false };
		this.tasks.set(task.id, task);
		const isSlow = task.row === 0;
		if (!isSlow || task.offset < 0) this.end(task);
		if (isSlow && task.offset < 0) await delay(-task.offset);
		return { code: 200, data: [{ status: 'submitted', task_id: task.id }] };
	}

	private ask(task: Task): void {
		task.asked = true;
		if (task.endedAt === undefined) setTimeout(() => this.end(task), task.offset);
	}

	private end(task: Task): void {
		task.endedAt = Date.now();
		this.callbacks.push(this.sender.send(`${task.webhook}/callback`, task.id, recordOf(task)));
	}

	private arrive({ run }: Task, url: URL): object {
		const arrival = { at: Date.now(), completed: Number(url.searchParams.get('completed')) };
		this.arrivals.set(run, [...(this.arrivals.get(run) ?? []), arrival]);
		return {};
	}
}
