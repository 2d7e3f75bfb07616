import type { Part } from '../conversation';

/** UTF-8 bytes that a token is taken to have: about right for English prose, and on the safe side for other scripts. */
const BYTES_PER_TOKEN = 4;

/** Tokens that the given parts may have. An estimate: only the service knows how its model counts. */
export function estimateTokens(parts: readonly Part[]): number {
	const bytes = parts.reduce((total, { text }) => total + Buffer.byteLength(text, 'utf8'), 0);
	return Math.ceil(bytes / BYTES_PER_TOKEN);
}
