import { createHash } from 'crypto';

import { z } from '../shared/vendor/zod';

const HOUR_MS = 3_600_000;
const KEY_LENGTH = 8;

/** Task ids that are remembered at most; the oldest go first. */
export const MOST_SEEN = 20_000;

/** Whether it is known that the execution for a task has started, or only that it was about to. */
type State = 'started' | 'open';

interface Entry {
	/** Hours since 1970. */
	hour: number;
	state: State;
}

const storedBuckets = z.object({ started: z.record(z.string()), open: z.record(z.string()) });

const emptyBuckets = { started: {}, open: {} };

function parseJson(text: string): unknown {
	try {
		const value: unknown = JSON.parse(text);
		return value;
	} catch {
		return undefined;
	}
}

/** 48 bits of the id's hash: two of 20 000 tasks share them about once in a million days of full use. */
export function keyOf(taskId: string): string {
	return createHash('sha256').update(taskId).digest('base64url').slice(0, KEY_LENGTH);
}

/**
 * The tasks of one trigger for which an execution has been started. This process's memory is the truth for it: n8n
 * reads static data when a call begins and writes it when the call ends, so calls at the same moment would overwrite
 * one another. What is stored is a single text of eight characters a task, by the hour, for a text costs n8n the same
 * however many tasks stand in it.
 */
export class SeenTasks {
	private readonly entries = new Map<string, Entry>();

	/** Texts whose tasks are known here already. */
	private readonly merged = new Set<string>();

	/** Takes over what is stored: by an earlier process, or by another one that serves the same trigger. */
	merge(stored: unknown): void {
		if (typeof stored !== 'string' || stored === '') return;
		const digest = createHash('sha1').update(stored).digest('base64');
		if (this.merged.has(digest)) return;
		this.remember(digest);
		const buckets = storedBuckets.catch(emptyBuckets).parse(parseJson(stored));
		for (const state of ['open', 'started'] as const) {
			for (const [hour, keys] of Object.entries(buckets[state])) this.add(Number(hour), keys, state);
		}
	}

	private add(hour: number, keys: string, state: State): void {
		for (let at = 0; at + KEY_LENGTH <= keys.length; at += KEY_LENGTH) {
			const key = keys.slice(at, at + KEY_LENGTH);
			// What this process knows is never older than what is stored.
			if (this.entries.get(key)?.state !== 'started') this.entries.set(key, { hour, state });
		}
	}

	private remember(digest: string): void {
		this.merged.add(digest);
		const [oldest] = this.merged;
		if (this.merged.size > 200 && oldest !== undefined) this.merged.delete(oldest);
	}

	stateOf(key: string): State | undefined {
		return this.entries.get(key)?.state;
	}

	/** Notes that an execution is about to start (`open`) or has started. `now` in milliseconds. */
	note(key: string, state: State, now: number): void {
		this.entries.delete(key);
		this.entries.set(key, { hour: Math.floor(now / HOUR_MS), state });
	}

	forget(key: string): void {
		this.entries.delete(key);
	}

	/** Drops what is older than the window, in hours, and what is beyond the cap; gives the text to store. */
	toText(windowHours: number, now: number): string {
		const oldest = Math.floor(now / HOUR_MS) - Math.ceil(windowHours);
		let excess = this.entries.size - MOST_SEEN;
		const buckets: Record<State, Record<string, string[]>> = { started: {}, open: {} };
		for (const [key, { hour, state }] of this.entries) {
			if (hour < oldest || excess > 0) {
				this.entries.delete(key);
				excess -= 1;
			} else {
				(buckets[state][hour] ??= []).push(key);
			}
		}
		const joined = (hours: Record<string, string[]>) =>
			Object.fromEntries(Object.entries(hours).map(([hour, keys]) => [hour, keys.join('')]));
		const text = JSON.stringify({ started: joined(buckets.started), open: joined(buckets.open) });
		this.remember(createHash('sha1').update(text).digest('base64'));
		return text;
	}
}
