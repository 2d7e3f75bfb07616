import { createHash } from 'crypto';

import { clock, HOUR_MS } from '../shared/util/clock';
import { parseJson } from '../shared/util/json';
import { z } from '../shared/util/vendor/zod';

const KEY_LENGTH = 8;

/** Milliseconds after which an unconfirmed start is in doubt, before the service's last call after about 100 seconds (spec, Events 5). */
const IN_DOUBT_AFTER_MS = 50_000;

/** When this process began, in milliseconds since 1970. */
const LOADED_AT = clock.now();

/** Maximum number of events that are remembered; the oldest are dropped first. */
export const MOST_PROCESSED = 20_000;

type Noted = 'starting' | 'started';

/** What is known of an event. `inDoubt`: it is unknown whether its execution started. */
export type EventState = Noted | 'new' | 'inDoubt';

interface Entry {
	/** Milliseconds since 1970. If it comes from storage, it is rounded down: `started` to the hour, `starting` to the second. */
	at: number;
	noted: Noted;
	/** Who noted it: this process, one that has ended, or one that runs beside it. */
	origin: 'here' | 'before' | 'beside';
}

/** Keys by the hour, and by the second. */
const storedBuckets = z
	.object({ started: z.record(z.string()), starting: z.record(z.string()) })
	.catch({ started: {}, starting: {} });

const UNITS: Record<Noted, number> = { started: HOUR_MS, starting: 1_000 };

/** The key of an event: 48 bits of a hash, which two of 20,000 events share about once in a million days of full use. */
export function keyOf(event: string): string {
	return createHash('sha256').update(event).digest('base64url').slice(0, KEY_LENGTH);
}

/** The beginning of the hour in which the window began, in milliseconds since 1970. */
function oldestKept(windowHours: number, now: number): number {
	return (Math.floor(now / HOUR_MS) - Math.ceil(windowHours)) * HOUR_MS;
}

/**
 * The events of one trigger for which an execution has started. The memory of this process decides: calls at the same moment overwrite each
 * other's static data. What is stored is one text, which n8n handles in the same time however many events it has.
 */
export class ProcessedTasks {
	private readonly entries = new Map<string, Entry>();

	/** The keys of `entries` as they are stored. Joining them for each text would take longer than everything else. */
	private readonly buckets = {
		started: new Map<number, string>(),
		starting: new Map<number, string>(),
	};

	/** Who wrote what is read: at first perhaps a process that has ended, then one that runs. */
	private others: Entry['origin'] = 'before';

	/** Whether the text that was read or made last lacks something that is known. */
	isUnstored = false;

	/** @param loadedAt milliseconds since 1970: a process that still runs noted whatever is later */
	constructor(private readonly loadedAt = LOADED_AT) {}

	/** Adds what is stored, by an earlier process or by another one that serves the same trigger. */
	merge(stored: unknown): void {
		const buckets = storedBuckets.parse(typeof stored === 'string' ? parseJson(stored) : undefined);
		let agreed = 0;
		for (const noted of ['started', 'starting'] as const) {
			for (const [unit, keys] of Object.entries(buckets[noted])) {
				// Most texts are this process's own: comparing one takes a fraction of the time of reading it.
				const isKnown = this.buckets[noted].get(Number(unit))?.startsWith(keys);
				agreed += isKnown
					? keys.length / KEY_LENGTH
					: this.add(Number(unit) * UNITS[noted], keys, noted);
			}
		}
		// The stored text may lack what was noted since, or what another process has overwritten: n8n writes the whole row.
		this.isUnstored = agreed < this.entries.size;
		this.others = 'beside';
	}

	/** Adds what is newer than what is known. Returns how many of the keys are then known as they are stored. */
	private add(at: number, keys: string, noted: Noted): number {
		const [oldest] = this.entries.size < MOST_PROCESSED ? [] : this.entries.values();
		let agreed = 0;
		for (let start = 0; start + KEY_LENGTH <= keys.length; start += KEY_LENGTH) {
			const key = keys.slice(start, start + KEY_LENGTH);
			const known = this.entries.get(key);
			// The key was dropped meanwhile: added as the newest, it would push another one out.
			if (!known && oldest && at <= oldest.at) continue;
			// What this process knows of its own starts is never older than what is stored.
			const keeps =
				known &&
				(known.noted === 'started' ||
					(noted === 'starting' && (known.origin === 'here' || known.at >= at)));
			const origin = at < this.loadedAt ? this.others : 'beside';
			if (!keeps) this.set(key, { at, noted, origin });
			if (!keeps || known.noted === noted) agreed += 1;
		}
		return agreed;
	}

	private set(key: string, entry: Entry): void {
		this.forget(key);
		this.entries.set(key, entry);
		const { bucket, unit } = this.placeOf(entry);
		bucket.set(unit, (bucket.get(unit) ?? '') + key);
	}

	private placeOf({ at, noted }: Entry): { bucket: Map<number, string>; unit: number } {
		return { bucket: this.buckets[noted], unit: Math.floor(at / UNITS[noted]) };
	}

	private forget(key: string): void {
		const entry = this.entries.get(key);
		if (!entry) return;
		this.entries.delete(key);
		const { bucket, unit } = this.placeOf(entry);
		const keys = bucket.get(unit) ?? '';
		// The oldest key comes first.
		let start = 0;
		while (start < keys.length && !keys.startsWith(key, start)) start += KEY_LENGTH;
		bucket.set(unit, keys.slice(0, start) + keys.slice(start + KEY_LENGTH));
		if (keys.length <= KEY_LENGTH) bucket.delete(unit);
	}

	/** What is known of an event at the time `now`, in milliseconds, unless it is older than the window. */
	stateOf(key: string, windowHours: number, now: number): EventState {
		const entry = this.entries.get(key);
		if (!entry || entry.at < oldestKept(windowHours, now)) return 'new';
		if (entry.noted === 'started') return 'started';
		return entry.origin !== 'before' && now - entry.at < IN_DOUBT_AFTER_MS ? 'starting' : 'inDoubt';
	}

	/** Notes that an execution is about to start, or has started, at the time `now`, in milliseconds. */
	note(key: string, noted: Noted, now: number): void {
		this.set(key, { at: now, noted, origin: 'here' });
		this.isUnstored = true;
	}

	/** Drops what is older than the window or beyond the maximum number, and returns the text to store. */
	toText(windowHours: number, now: number): string {
		const oldest = oldestKept(windowHours, now);
		for (const [key, { at }] of this.entries) {
			if (at >= oldest && this.entries.size <= MOST_PROCESSED) break;
			this.forget(key);
		}
		const { started, starting } = this.buckets;
		this.isUnstored = false;
		return JSON.stringify({
			started: Object.fromEntries(started),
			starting: Object.fromEntries(starting),
		});
	}
}
