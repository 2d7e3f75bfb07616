import { createHash } from 'crypto';

import { MIN_PREFIX_TOKENS } from '../../shared/api/chat';
import { count, NO_USAGE, type Usage } from '../../shared/api/chatUsage';
import { Memory } from '../../shared/util/memory';
import { findVolatile } from '../../shared/util/volatile';
import type { Question } from '../prompt/style';

/** What is remembered of a kind of prompt part: more would not be compared any more. */
const REMEMBERED = 20;

/** Nodes whose last questions this process remembers. */
const MAX_NODES = 200;

/** The last questions of one node, as hashes. */
class NodeMemory {
	private readonly tools = new Recent();

	private readonly systems = new Recent();

	private talks: string[][] = [];

	private said = new Set<string>();

	/** What in a question defeats the cache, as far as it can be told before the answer. */
	warningsOf({ tools, talk }: Question): string[] {
		const system = talk.system.join('\n');
		return [
			...(this.tools.isNew(hashOf(tools))
				? [
						'The tools differ from those of the last question. They come first in a prompt, so nothing of it is read from the cache.',
					]
				: []),
			...this.systemWarnings(system),
			...(this.hasSlid(talk.turns.map(hashOf))
				? [
						'The memory has dropped the oldest turns, so what follows the system prompt is written to the cache again. A longer window is read from the cache for longer; with the option "Cached History" set to "System Prompt and Tools" the talk is not written to it.',
					]
				: []),
		];
	}

	/** Those of the warnings that the last question did not have. */
	notYetSaid(warnings: readonly string[]): string[] {
		const unsaid = warnings.filter((warning) => !this.said.has(warning));
		this.said = new Set(warnings);
		return unsaid;
	}

	private systemWarnings(system: string): string[] {
		const wasKnown = this.systems.size > 0;
		// Nothing in a text that is still the same has changed by itself.
		if (!this.systems.add(hashOf(system))) return [];
		const changed = wasKnown
			? [
					'The system prompt differs from that of the last question, so nothing after the tools is read from the cache.',
				]
			: [];
		return [
			...changed,
			...findVolatile(system).map(
				({ what, character }) =>
					`The system prompt has what looks like ${what} at character ${count(character)}. If it changes with each question, the cache is never read: move it into the question.`,
			),
		];
	}

	/** Whether a talk continues an earlier one whose oldest turns it has lost. */
	private hasSlid(talk: string[]): boolean {
		const [first] = talk;
		if (first === undefined) return false;
		const begins = (earlier: readonly string[], from: number) =>
			earlier.slice(from).every((hash, at) => hash === talk[at]);
		const earlier = this.talks.find(
			(known) => begins(known, known.indexOf(first)) && known.includes(first),
		);
		const slid = earlier !== undefined && earlier.indexOf(first) > 0;
		this.talks = [talk, ...this.talks.filter((known) => known !== earlier)].slice(0, REMEMBERED);
		return slid;
	}
}

/** Hashes that were seen before. */
class Recent {
	private hashes: string[] = [];

	get size(): number {
		return this.hashes.length;
	}

	/** Whether a hash was not there. */
	add(hash: string): boolean {
		const isNew = !this.hashes.includes(hash);
		this.hashes = [hash, ...this.hashes.filter((known) => known !== hash)].slice(0, REMEMBERED);
		return isNew;
	}

	/** The same, but nothing is new to an empty list. */
	isNew(hash: string): boolean {
		const { size } = this;
		return this.add(hash) && size > 0;
	}
}

const hashOf = (value: unknown) =>
	createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 16);

const nodes = new Memory<NodeMemory>(MAX_NODES);

/**
 * What this process remembers of a node's questions. It forgets the node that was asked longest ago, and everything at a restart: the
 * warnings are best effort.
 *
 * @param key names the node and its workflow
 */
export function memoryOf(key: string): NodeMemory {
	const memory = nodes.get(key) ?? new NodeMemory();
	nodes.set(key, memory);
	return memory;
}

/** What an answer says of the cache, where it was to be used. */
export function usageWarnings(usage: Usage | undefined): string[] {
	if (usage === undefined) return [NO_USAGE];
	const { cacheRead, cacheWrite, inputTotal } = usage;
	if (cacheRead + cacheWrite > 0) return [];
	return inputTotal < MIN_PREFIX_TOKENS
		? [
				`Nothing is cached: the prompt has ${count(inputTotal, 'token')}, and the service caches from about ${count(MIN_PREFIX_TOKENS)} on.`,
			]
		: [
				'The service neither wrote to the cache nor read from it. What stays the same may be shorter than the model requires, or the model may not cache.',
			];
}
