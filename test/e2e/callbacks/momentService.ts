import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod/v3';
import { createSender, type Sent } from './sender';

/** What a prompt tells the service, as JSON. */
export const momentPrompt = z.object({
	run: z.number(),
	row: z.number(),
	rows: z.number(),
	/** Milliseconds from the first request for the first row's task to its end; negative: it has ended by then. */
	offset: z.number(),
});

export type MomentPrompt = z.infer<typeof momentPrompt>;

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

const recordOf = ({ id, endedAt }: Task) => ({
	id,
	status: endedAt === undefined ? 'in_progress' : 'completed',
	progress: endedAt === undefined ? 50 : 100,
	result:
		endedAt === undefined
			? null
			: {
					images: [
						{
							url: [`http://127.0.0.1:9/${id}.png`],
							expires_at: Math.floor(endedAt / 1_000) + 3_600,
						},
					],
				},
});

async function bodyOf(request: IncomingMessage): Promise<unknown> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array));
	return chunks.length === 0 ? undefined : JSON.parse(Buffer.concat(chunks).toString());
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

	private readonly server = createServer((request, response) => {
		this.answer(request).then(
			(json) =>
				response
					.writeHead(json === undefined ? 404 : 200, { 'content-type': 'application/json' })
					.end(JSON.stringify(json ?? {})),
			(error: unknown) =>
				response
					.writeHead(400, { 'content-type': 'application/json' })
					.end(JSON.stringify({ error: { message: String(error) } })),
		);
	});

	static async open(): Promise<MomentService> {
		const service = new MomentService();
		await new Promise<void>((resolve) => service.server.listen(0, '127.0.0.1', resolve));
		return service;
	}

	get url(): string {
		return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
	}

	/** When the last task of a run ended; `undefined` before. */
	endOf(run: number): number | undefined {
		const ends = [...this.tasks.values()]
			.filter((task) => task.run === run)
			.map(({ endedAt }) => endedAt);
		return ends.length === 0 || ends.includes(undefined)
			? undefined
			: Math.max(...ends.map(Number));
	}

	reset(): void {
		this.arrivals.clear();
		this.tasks.clear();
		this.callbacks.length = 0;
	}

	async close(): Promise<void> {
		this.sender.close();
		this.server.closeAllConnections();
		await new Promise((resolve) => this.server.close(resolve));
	}

	private async answer(request: IncomingMessage): Promise<unknown> {
		const url = new URL(request.url ?? '', this.url);
		const body = await bodyOf(request);
		if (request.method === 'POST') return await this.submit(body);
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
