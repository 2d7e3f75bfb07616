import { z } from '../util/vendor/zod';

/** The spec's neutral words, each of which a deployment may replace with a word of its own. */
export const BRAND_WORDS = [
	'musicgen',
	'gridart',
	'imagegen',
	'imgfast',
	'vidgen',
	'vidomni',
	'vendor',
] as const;

const replacement = z.string().regex(/^[A-Za-z0-9._-]+$/);

/** From the spec's word to the deployment's. An empty map means the spec's own words. */
export const brandWordMap = z.record(z.enum(BRAND_WORDS), replacement);

export type BrandWordMap = z.infer<typeof brandWordMap>;

const NEUTRAL_WORD = new RegExp(`(?<![A-Za-z0-9])(${BRAND_WORDS.join('|')})(?![A-Za-z])`, 'g');

export function toDeploymentWords(text: string, words: BrandWordMap): string {
	const deployed: Readonly<Record<string, string | undefined>> = words;
	return text.replace(NEUTRAL_WORD, (word) => deployed[word] ?? word);
}

/** Puts the deployment's words into a body: the model's name is the only value in it that has a brand. */
export function inDeploymentWords(
	body: Readonly<Record<string, unknown>>,
	words: BrandWordMap,
): Record<string, unknown> {
	return typeof body.model === 'string'
		? { ...body, model: toDeploymentWords(body.model, words) }
		: body;
}

function toNeutralWords(name: string, words: BrandWordMap): string {
	for (const word of BRAND_WORDS) {
		const deployed = words[word];
		if (deployed !== undefined && name.startsWith(`${deployed}_`))
			return word + name.slice(deployed.length);
	}
	return name;
}

/** Turns the deployment's words in the field names of a `usage` object back into the spec's. */
export function neutralUsage(
	usage: Record<string, unknown>,
	words: BrandWordMap,
): Record<string, unknown> {
	return Object.fromEntries(
		Object.entries(usage).map(([name, value]) => [toNeutralWords(name, words), value]),
	);
}
