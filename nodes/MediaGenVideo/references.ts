const IMAGE_REFERENCE = /<<<image_(\d+)>>>/g;

// After a letter or a digit the sign is part of an address, such as info@example.com.
const MENTION = /(?<![\p{L}\p{N}._+-])@(?=[\p{L}\p{N}_])/gu;

const WORD = /^[\p{L}\p{N}_-]+/u;

/** The numbers in the references `<<<image_N>>>` of a prompt, in order (spec §6, prompt). */
export function imageReferences(prompt: string): number[] {
	return [...prompt.matchAll(IMAGE_REFERENCE)].map(([, number]) => Number(number));
}

function startsWithName(text: string, name: string): boolean {
	return text.startsWith(name) && !/^[\p{L}\p{N}_]/u.test(text.slice(name.length));
}

/** What the mentions `@name` of a prompt name: the elements, and the words that are no element's name (spec §6, rule 8). */
export function elementMentions(
	prompt: string,
	elements: readonly string[],
): { known: string[]; unknown: string[] } {
	const byLength = [...elements].sort((a, b) => b.length - a.length);
	const known: string[] = [];
	const unknown: string[] = [];
	for (const { index } of prompt.matchAll(MENTION)) {
		const after = prompt.slice(index + 1);
		const name = byLength.find((candidate) => startsWithName(after, candidate));
		if (name === undefined) unknown.push(WORD.exec(after)?.[0] ?? '');
		else known.push(name);
	}
	return { known, unknown };
}
