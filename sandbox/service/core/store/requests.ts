/** One request in the sandbox's log. */
export interface RequestRecord {
	readonly number: number;
	/** Clock milliseconds of its arrival. */
	readonly at: number;
	readonly method: string;
	/** Path without the query. */
	readonly path: string;
	readonly query: string;
	/** Header names are in lower case; secrets are replaced by `[redacted]`, the scheme is kept. */
	readonly headers: Readonly<Record<string, string>>;
	/** Requests in progress at its arrival, including itself. */
	readonly inFlight: number;
	body: unknown;
	/** `null` without an answer, or before it. */
	status: number | null;
	/** `cut`: the connection ended before the answer did. */
	outcome: 'open' | 'answered' | 'reset' | 'unanswered' | 'cut';
	/** Real milliseconds from arrival to the end of the answer; `null` without an answer. */
	tookMs: number | null;
	/** Id of the fault rule that took effect on it. */
	fault: string | null;
	/** Id of the task that it started. */
	task: string | null;
}

/** Enough for a long test run; a sandbox that keeps running needs a limit. */
const KEPT = 20_000;

export interface RequestFilter {
	method?: string;
	/** Beginning of the path. */
	path?: string;
}

/** The log of requests to the service; those to the admin paths are not in it. */
export class Requests {
	private records: RequestRecord[] = [];
	private count = 0;
	private open = 0;

	begin(
		arrival: Pick<RequestRecord, 'at' | 'method' | 'path' | 'query' | 'headers'>,
	): RequestRecord {
		this.count += 1;
		this.open += 1;
		const record: RequestRecord = {
			...arrival,
			number: this.count,
			inFlight: this.open,
			body: undefined,
			status: null,
			outcome: 'open',
			tookMs: null,
			fault: null,
			task: null,
		};
		this.records.push(record);
		if (this.records.length > KEPT) this.records = this.records.slice(-KEPT / 2);
		return record;
	}

	/** Records how a request ended; the first call counts. */
	end(record: RequestRecord, end: Pick<RequestRecord, 'outcome' | 'status' | 'tookMs'>): void {
		if (record.outcome !== 'open') return;
		this.open -= 1;
		Object.assign(record, end);
	}

	list({ method, path }: RequestFilter = {}): RequestRecord[] {
		return this.records.filter(
			(record) =>
				(!method || record.method === method.toUpperCase()) &&
				(!path || record.path.startsWith(path)),
		);
	}

	reset(): void {
		this.records = [];
	}
}
