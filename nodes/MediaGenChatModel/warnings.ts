import { MIN_PREFIX_TOKENS } from '../shared/api/chat';
import { count, NO_USAGE, type Usage } from '../shared/api/chatUsage';
import { hashOf } from '../shared/util/json';
import { Memory } from '../shared/util/memory';
import { findVolatile } from '../shared/util/volatile';
import type { Question } from './prompt/question';

/** How many values of each kind of prompt part are remembered: older ones are not compared any more. */
const REMEMBERED = 20;

/** Number of nodes whose last questions this process remembers. */
const MAX_NODES = 200;

const OTHER_TOOLS =
	'The tools differ from those of the last question. They come first in a prompt, so nothing of it is read from the cache.';

const OTHER_SYSTEM =
	'The system prompt differs from that of the last question, so nothing after the tools is read from the cache.';

const SLID =
	'The memory has dropped the oldest turns, so what follows the system prompt is written to the cache again. With a longer window this happens later; with the option "Cached History" set to "System Prompt and Tools" the conversation is not written to the cache.';

/** The last questions of one node, as hashes. */
export class NodeMemory {
	private tools: string[] = [];
	private systems: string[] = [];
	private talks: string[][] = [];
	private said = new Set<string>();

	/** What in a question defeats the cache, as far as it is known before the answer. `cachesTurns`: whether more than system prompt and tools is cached. */
	warningsOf({ tools, system: texts, turns }: Question, cachesTurns = true): string[] {
		const offered = hashOf(tools);
		const system = texts.join('\n');
		const prompt = hashOf(system);
		const hasSlid = this.hasSlid(turns.map(hashOf));
		// If the text is still the same, nothing in it changes with each question.
		const volatile = this.systems.includes(prompt) ? [] : findVolatile(system);
		const warnings = [
			...(isOther(this.tools, offered) ? [OTHER_TOOLS] : []),
			...(isOther(this.systems, prompt) ? [OTHER_SYSTEM] : []),
			...volatile.map(
				({ what, character }) =>
					`The system prompt has what looks like ${what} at character ${count(character)}. If it changes with each question, the cache is never read: move it into the question.`,
			),
			...(hasSlid && cachesTurns ? [SLID] : []),
		];
		this.tools = withNewest(this.tools, offered);
		this.systems = withNewest(this.systems, prompt);
		return warnings;
	}

	notYetSaid(warnings: readonly string[]): string[] {
		const unsaid = warnings.filter((warning) => !this.said.has(warning));
		this.said = new Set(warnings);
		return unsaid;
	}

	/** Whether a talk continues an earlier one whose oldest turns it has lost. */
	private hasSlid(talk: string[]): boolean {
		const [first] = talk;
		if (first === undefined) return false;
		const earlier = this.talks.find((known) => {
			const from = known.indexOf(first);
			return from >= 0 && known.slice(from).every((hash, at) => hash === talk[at]);
		});
		const slid = earlier !== undefined && earlier.indexOf(first) > 0;
		this.talks = withNewest(this.talks, talk, earlier);
		return slid;
	}
}

const isOther = (known: readonly string[], hash: string) =>
	known.length > 0 && !known.includes(hash);

const withNewest = <Value>(known: readonly Value[], newest: Value, replaced = newest) =>
	[newest, ...known.filter((each) => each !== replaced)].slice(0, REMEMBERED);

const nodes = new Memory<NodeMemory>(MAX_NODES);

/** What this process remembers of a node, by its workflow and id, as long as it is among those asked last: the warnings are best effort. */
export function memoryOf(key: string): NodeMemory {
	const memory = nodes.get(key) ?? new NodeMemory();
	nodes.set(key, memory);
	return memory;
}

/** What an answer shows about the cache, if it was to be used. */
export function usageWarnings(usage: Usage | undefined): string[] {
	if (usage === undefined) return [NO_USAGE];
	const { cacheRead, cacheWrite, inputTotal } = usage;
	if (cacheRead + cacheWrite > 0) return [];
	return [
		inputTotal < MIN_PREFIX_TOKENS
			? `Nothing is cached: the prompt has ${count(inputTotal, 'token')}, and the service caches from about ${count(MIN_PREFIX_TOKENS)} on.`
			: 'The service neither wrote to the cache nor read from it. What stays the same may be shorter than the model requires, or the model may not cache.',
	];
}
