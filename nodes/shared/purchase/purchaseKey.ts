import { createHash } from 'crypto';

import { type BrandWordMap, inDeploymentWords, toDeploymentWords } from '../api/brandWords';
import { isObject } from '../util/json';

/** What is bought: two requests that are the same in this are the same purchase. */
export interface PaidRequest {
	/** Family and operation, such as `image.generate`. */
	operation: string;
	path: string;
	/** As the user gave it, without a callback address. Pictures of the input stand in it as their fingerprints. */
	body: Readonly<Record<string, unknown>>;
	/** Set where the request is form data: the file, as its fingerprint. */
	file?: unknown;
}

/** JSON with its fields in a fixed order, however they came. */
function canonical(value: unknown): string {
	if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
	if (!isObject(value)) return JSON.stringify(value);
	const fields = Object.keys(value).sort();
	return `{${fields.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join()}}`;
}

/**
 * A text that is the same for the same request in any execution, on any machine: 32 hexadecimal digits, fit for a file's name.
 *
 * @param words the deployment's own words, which are a part of what is sent
 * @param copy the number of a wanted repetition, from 1: it makes another key
 */
export function purchaseKey(
	{ operation, path, body, file }: PaidRequest,
	words: BrandWordMap,
	copy: number,
): string {
	const { webhook: _, ...paid } = body;
	const sentPath = toDeploymentWords(path, words);
	const request = [operation, sentPath, inDeploymentWords(paid, words), file, copy];
	// What is sent is JSON: fields without a value are not in it.
	const sent: unknown = JSON.parse(JSON.stringify(request));
	return createHash('sha256').update(canonical(sent)).digest('hex').slice(0, 32);
}
