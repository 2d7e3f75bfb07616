import { createHash } from 'node:crypto';
import { invalid } from '../core/errors';
import { countTokens } from './tokens';

export type Ttl = '5m' | '1h';

/** One block of a prompt. */
export interface PromptBlock {
	/** Role of the message, `system`, or `tools`. */
	role: string;
	/** The block without its cache marker. */
	content: string;
	tokens: number;
	/** Its cache marker, or `null`. */
	marker: Ttl | null;
}

/** A place in a prompt up to which it can be cached. */
export interface Boundary {
	/** Hash of everything before it. */
	fingerprint: string;
	/** Tokens before it. */
	tokens: number;
	marker: Ttl | null;
}

/** The limit of the interface that this one follows; the spec names none. */
const MOST_MARKERS = 4;
const BETA_FOR_1H = 'extended-cache-ttl-2025-04-11';

/**
 * @param strict whether the number of markers is limited
 * @throws ServiceError 400
 */
export function checkMarkers(
	blocks: readonly PromptBlock[],
	betaHeader: string | undefined,
	strict: boolean,
): void {
	const markers = blocks.map(({ marker }) => marker).filter((marker) => marker !== null);
	if (strict && markers.length > MOST_MARKERS)
		throw invalid(`cache_control: ${markers.length} markers, at most ${MOST_MARKERS}`);
	const betas = (betaHeader ?? '').split(',').map((beta) => beta.trim());
	if (markers.includes('1h') && !betas.includes(BETA_FOR_1H)) {
		throw invalid(`cache_control: ttl 1h requires the header vendor-beta: ${BETA_FOR_1H}`);
	}
}

/** The ends of the blocks, each with a hash of everything before it (cache rule 5: byte-identical). */
export function boundariesOf(blocks: readonly PromptBlock[]): Boundary[] {
	const hash = createHash('sha256');
	let tokens = 0;
	return blocks.map(({ role, content, tokens: own, marker }) => {
		hash.update(JSON.stringify([role, content]));
		tokens += own;
		return { fingerprint: hash.copy().digest('hex'), tokens, marker };
	});
}

export function block(role: string, content: string, marker: Ttl | null = null): PromptBlock {
	return { role, content, tokens: countTokens(content), marker };
}
