import { createHash } from 'crypto';

import { parseJson } from '../shared/util/json';
import { z } from '../shared/util/vendor/zod';

const HOUR_MS = 3_600_000;
const SECOND_MS = 1_000;
const KEY_LENGTH = 8;

/**
 * How long a start by another running process counts as under way, in milliseconds. Below the time after which the
 * service gives a callback up (spec, Events 5), so that its last try finds the task in doubt and not under way.
 */
const UNDER_WAY_MS = 50_000;

/** Task ids that are remembered at most; the oldest go first. */
export const MOST_SEEN = 20_000;

/** Whether it is known that the execution for a task has started, or only that it was about to. */
type State = 'started' | 'open';

/** Who has made a note: this process, one before it, or another one that runs beside it. */
type Origin = 'here' | 'before' | 'beside';

interface Entry {
	/** Milliseconds since 1970, down to the hour for a started task and to the second for an open one. */
	at: number;
	state: State;
	origin: Origin;
}

/** By the hour, and by the second. */
const storedBuckets = z.object({ started: z.record(z.string()), open: z.record(z.string()) });

const UNITS: Record<State, number> = { started: HOUR_MS, open: SECOND_MS };

const emptyBuckets = { started: {}, open: {} };

/** 48 bits of the id's hash: two of 20 000 tasks share them about once in a million days of full use. */
export function keyOf(taskId: string): string {
	return createHash('sha256').update(taskId).digest('base64url').slice(0, KEY_LENGTH);
}

function digestOf(text: string): string {
	return createHash('sha1').update(text).digest('base64');
}

/** The begin of the hour in which the window began, in milliseconds since 1970. */
function oldestKept(windowHours: number, now: number): number {
	return (Math.floor(now / HOUR_MS) - Math.ceil(windowHours)) * HOUR_MS;
}

/**
 * The tasks of one trigger for which an execution has been started. This process's memory is the truth for it: n8n
 * reads static data when a call begins and writes it when the call ends, so calls at the same moment would overwrite
 * one another. What is stored is a single text of eight characters a task, by the hour, for a text costs n8n the same
 * however many tasks stand in it; open ones, of which there are few, by the second.
 */
export class SeenTasks {
	private readonly entries = new Map<string, Entry>();

	/** Texts that are known here, each with the number of changes at which it had all that is known; -1 if it never had. */
	private readonly texts = new Map<string, number>();

	private changes = 0;

	/** Who wrote what is read: at first one that has ended, afterwards one that runs. */
	private others: Origin = 'before';

	private unstored = false;

	/** Takes over what is stored: by an earlier process, or by another one that serves the same trigger. */
	merge(stored: unknown): void {
		this.take(stored);
		this.others = 'beside';
	}

	private take(stored: unknown): void {
		const text = typeof stored === 'string' ? stored : '';
		const digest = digestOf(text);
		if (!this.texts.has(digest)) this.learn(text, digest);
		// It may lack what was noted since, or what another process has written over: n8n writes the row whole.
		this.unstored = this.texts.get(digest) !== this.changes;
	}

	private learn(text: string, digest: string): void {
		const buckets = storedBuckets.catch(emptyBuckets).parse(parseJson(text));
		let agreed = 0;
		for (const state of ['open', 'started'] as const) {
			for (const [units, keys] of Object.entries(buckets[state])) agreed += this.add(Number(units) * UNITS[state], keys, state);
		}
		this.remember(digest, agreed === this.entries.size ? this.changes : -1);
	}

	/** Takes over what is newer than what is known, and gives how many of the tasks are then known in this very state. */
	private add(at: number, keys: string, state: State): number {
		let agreed = 0;
		for (let start = 0; start + KEY_LENGTH <= keys.length; start += KEY_LENGTH) {
			const key = keys.slice(start, start + KEY_LENGTH);
			const known = this.entries.get(key);
			// What this process knows of its own starts is never older than what is stored.
			const keeps = known && (known.state === 'started' || (state === 'open' && (known.origin === 'here' || known.at >= at)));
			if (!keeps) this.set(key, { at, state, origin: this.others });
			if (!keeps || known.state === state) agreed += 1;
		}
		return agreed;
	}

	private set(key: string, entry: Entry): void {
		this.entries.set(key, entry);
		this.changes += 1;
	}

	private remember(digest: string, completeAt: number): void {
		this.texts.set(digest, completeAt);
		const [oldest] = this.texts.keys();
		if (this.texts.size > 200 && oldest !== undefined) this.texts.delete(oldest);
	}

	/** What is known of a task, unless it is older than the window, in hours. `now` in milliseconds. */
	stateOf(key: string, windowHours = Infinity, now = 0): State | undefined {
		const entry = this.entries.get(key);
		return entry && entry.at >= oldestKept(windowHours, now) ? entry.state : undefined;
	}

	/** Whether another process has just begun to start an execution for the task, and may not have written the end of it. */
	isUnderWayElsewhere(key: string, now: number): boolean {
		const entry = this.entries.get(key);
		return entry?.state === 'open' && entry.origin === 'beside' && now - entry.at < UNDER_WAY_MS;
	}

	/** Whether the text that was read or made last lacks something that is known. */
	get isUnstored(): boolean {
		return this.unstored;
	}

	/** Notes that an execution is about to start (`open`) or has started. `now` in milliseconds. */
	note(key: string, state: State, now: number): void {
		this.entries.delete(key);
		this.set(key, { at: now, state, origin: 'here' });
		this.unstored = true;
	}

	/** Drops what is older than the window, in hours, and what is beyond the cap; gives the text to store. */
	toText(windowHours: number, now: number): string {
		const oldest = oldestKept(windowHours, now);
		let excess = this.entries.size - MOST_SEEN;
		const buckets: Record<State, Record<string, string[]>> = { started: {}, open: {} };
		for (const [key, { at, state }] of this.entries) {
			if (at < oldest || excess > 0) {
				this.entries.delete(key);
				excess -= 1;
			} else {
				(buckets[state][Math.floor(at / UNITS[state])] ??= []).push(key);
			}
		}
		const joined = (bucket: Record<string, string[]>) =>
			Object.fromEntries(Object.entries(bucket).map(([units, keys]) => [units, keys.join('')]));
		const text = JSON.stringify({ started: joined(buckets.started), open: joined(buckets.open) });
		this.remember(digestOf(text), this.changes);
		this.unstored = false;
		return text;
	}
}
