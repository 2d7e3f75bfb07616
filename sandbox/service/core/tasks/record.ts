import { dialectOf, type Dialect, type StateWords } from '../dialects';
import { mapLeaves } from '../mapLeaves';
import { creditsToCost } from '../prices';
import type { Service } from '../service';
import type { StoredFile } from '../store/files';
import { progressOf, type Stage, type Task } from '../store/tasks';

/** Writes the values of records in the current dialect. */
export class RecordWriter {
	readonly dialect: Dialect;
	readonly blank: Dialect['blank'];

	constructor(private readonly service: Service) {
		this.dialect = dialectOf(service.settings.dialect);
		this.blank = this.dialect.blank;
	}

	id(id: string): string | number {
		return this.dialect.numericIds && /^\d+$/.test(id) ? Number(id) : id;
	}

	number(value: number): string | number {
		return this.dialect.numbersAsText ? String(value) : value;
	}

	percent(value: number): string | number {
		return this.dialect.numbersAsText ? `${value}%` : value;
	}

	/** @param ms clock milliseconds */
	time(ms: number): string | number {
		switch (this.dialect.times) {
			case 'seconds':
				return this.number(Math.floor(ms / 1000));
			case 'iso':
				return new Date(ms).toISOString();
			case 'milliseconds':
				return this.number(ms);
			case 'microseconds':
				return this.number(ms * 1000);
		}
	}

	/** `expires_at` of a result file. */
	expiry({ expiresAt }: StoredFile): string | number | null {
		return expiresAt === null || !this.dialect.showsExpiry ? null : this.time(expiresAt);
	}

	/** A link that the spec shows as text. */
	link(url: string): string | string[] {
		return this.dialect.textLinksInLists ? [url] : url;
	}

	/** A link that the spec shows in a list. */
	linkList(url: string): string | string[] {
		return this.dialect.listedLinksAsText ? url : [url];
	}

	/** All numbers of an object. */
	numbers(value: unknown): unknown {
		return mapLeaves(value, (leaf) => (typeof leaf === 'number' ? this.number(leaf) : leaf));
	}

	/** The fields of the request, where the dialect repeats them. */
	echo({ request }: Task): object {
		if (!this.dialect.echo || typeof request !== 'object' || request === null) return {};
		const { webhook: _webhook, ...fields } = request as Record<string, unknown>;
		return fields;
	}

	/** The reason of a failed task, else what the dialect writes in its place. */
	error({ outcome }: Task, stage: Stage): unknown {
		return stage === 'failed' && outcome.status === 'failed'
			? { message: outcome.message, code: outcome.code }
			: this.blank.error;
	}

	/** What image and video records have in common (spec, Image task record and Callback payload). */
	common(task: Task, words: StateWords) {
		const { stage, share } = progressOf(task, this.service.clock.now());
		const { endedAt, createdAt, credits, refunded } = task;
		const isCompleted = stage === 'completed';
		const ifCompleted = (value: number) => (isCompleted ? this.number(value) : this.blank.value);
		return {
			...this.echo(task),
			id: this.id(task.id),
			status: words[stage],
			progress: this.percent(Math.floor(share * 100)),
			created: this.time(createdAt),
			completed: endedAt === null ? this.blank.value : this.time(endedAt),
			actual_time: ifCompleted(Math.round(((endedAt ?? createdAt) - createdAt) / 1000)),
			cost: ifCompleted(creditsToCost(credits - refunded)),
			credits_cost: ifCompleted(credits - refunded),
			error: this.error(task, stage),
		};
	}
}

/** The answer of a task query, or of a callback in an envelope. */
export function enveloped(record: object): object {
	return { code: 200, data: record };
}

/** The answer to an asynchronous submission (spec, Submission acknowledgement). */
export function acknowledgement(service: Service, task: Task, more: object = {}): object {
	const writer = new RecordWriter(service);
	const task_id = writer.id(task.id);
	switch (writer.dialect.acknowledgement) {
		case 'list':
			return { code: 200, data: [{ status: 'submitted', task_id, ...more }] };
		case 'object':
			return { code: 200, message: 'ok', data: { status: 'submitted', task_id, ...more } };
		case 'bare':
			return { task_id, ...more };
		case 'idOnly':
			return { code: 200, data: [{ task_id, ...more }] };
		case 'padded':
			return {
				code: 200,
				message: '',
				error: null,
				data: [{ status: 'submitted', task_id, result: null, error: false, ...more }],
			};
	}
}
