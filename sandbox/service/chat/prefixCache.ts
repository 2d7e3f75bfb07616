import type { Clock } from '../core/time/clocks';
import type { Boundary, Ttl } from './prompt';

/** "About 1024 tokens": a shorter prefix has its marker ignored (cache rule 4). */
const SHORTEST_PREFIX = 1024;
/** Number of blocks before each of its markers that a request searches for a cached prefix. */
const LOOK_BACK = 20;

const LIFETIMES: Readonly<Record<Ttl, number>> = { '5m': 5 * 60_000, '1h': 60 * 60_000 };

/** Tokens of a prompt, in categories that do not overlap (cache rule 9). */
export interface CacheUsage {
	/** Neither read nor written. */
	plain: number;
	read: number;
	written5m: number;
	written1h: number;
}

interface Entry {
	ttl: Ttl;
	expiresAt: number;
}

/** Cached prefixes, by owner and model. */
export class PrefixCache {
	private readonly entries = new Map<string, Entry>();

	constructor(private readonly clock: Clock) {}

	/**
	 * Calculates what a prompt reads and writes. Reading refreshes at once (cache rule 7); writes can be read after `commit`.
	 * @param scope a prefix can be read in its own scope only
	 */
	plan(scope: string, boundaries: readonly Boundary[]) {
		const total = boundaries.at(-1)?.tokens ?? 0;
		const lastMarked = boundaries.map(isCacheable).lastIndexOf(true);
		const hit = this.longestHit(scope, boundaries);
		const read = hit < 0 ? 0 : (boundaries[hit]?.tokens ?? 0);
		const usage: CacheUsage = { plain: total, read, written5m: 0, written1h: 0 };
		const writes: Array<[string, Ttl]> = [];

		let reached = read;
		for (const { fingerprint, tokens, marker } of boundaries.slice(hit + 1, lastMarked + 1)) {
			if (marker === null || tokens < SHORTEST_PREFIX) continue;
			usage[marker === '1h' ? 'written1h' : 'written5m'] += tokens - reached;
			reached = tokens;
			writes.push([`${scope}/${fingerprint}`, marker]);
		}
		usage.plain = total - reached;
		return {
			usage,
			commit: () => {
				for (const [key, ttl] of writes)
					this.entries.set(key, { ttl, expiresAt: this.clock.now() + LIFETIMES[ttl] });
			},
		};
	}

	/** The last boundary with an entry, within reach of any marker. All that is found is renewed. */
	private longestHit(scope: string, boundaries: readonly Boundary[]): number {
		const reach = new Set(
			boundaries.flatMap((boundary, marked) =>
				isCacheable(boundary)
					? Array.from({ length: LOOK_BACK + 1 }, (_, back) => marked - back)
					: [],
			),
		);
		const hits = [...reach].filter(
			(at) => at >= 0 && this.touch(`${scope}/${boundaries[at]?.fingerprint}`),
		);
		return Math.max(-1, ...hits);
	}

	/** Whether an entry exists and has not expired; if so, its lifetime is renewed. */
	private touch(key: string): boolean {
		const entry = this.entries.get(key);
		if (!entry) return false;
		if (entry.expiresAt <= this.clock.now()) {
			this.entries.delete(key);
			return false;
		}
		entry.expiresAt = this.clock.now() + LIFETIMES[entry.ttl];
		return true;
	}
}

function isCacheable({ marker, tokens }: Boundary): boolean {
	return marker !== null && tokens >= SHORTEST_PREFIX;
}
