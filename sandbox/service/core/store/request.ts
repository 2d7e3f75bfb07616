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
	/** Requests in progress when this one came, itself included. */
	readonly inFlight: number;
	body: unknown;
	/** `null` where no answer was given, or not yet. */
	status: number | null;
	/** `cut`: the connection ended before the answer did. */
	outcome: 'open' | 'answered' | 'reset' | 'unanswered' | 'cut';
	/** Real milliseconds from arrival to the end of the answer; `null` where there was none. */
	tookMs: number | null;
	/** Id of the fault rule that took effect on it. */
	fault: string | null;
	/** Id of the task that it started. */
	task: string | null;
}
