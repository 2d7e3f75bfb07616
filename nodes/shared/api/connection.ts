import type { INode } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { brandWordMap, BRAND_WORDS, type BrandWordMap } from './brandWords';
import { parseJson } from '../util/json';
import { z } from '../util/vendor/zod';
import { isPrivateHost, parseWebUrl } from './address';

export const CREDENTIAL_TYPE = 'mediaGenApi';

/** What the nodes take from the credential, apart from the key, which stays with n8n. */
export interface Connection {
	/** Without a slash at its end. */
	baseUrl: string;
	/** Lifts the rules for public addresses, for a service on a private network. */
	allowPrivateCallbacks: boolean;
	brandWords: BrandWordMap;
	/** Blots the key out of a text that came from outside, such as a message that repeats it. */
	redact: (text: string) => string;
}

/** For what needs none: files are fetched by the rules for public addresses, and no brand word is replaced. */
export const unknownConnection: Connection = {
	baseUrl: '',
	allowPrivateCallbacks: false,
	brandWords: {},
	redact: (text) => text,
};

const storedCredential = z.object({
	baseUrl: z.string().default(''),
	apiKey: z.string().default(''),
	allowPrivateCallbacks: z.boolean().default(false),
	brandWords: z.unknown(),
});

const emptyText = z.string().regex(/^\s*$/);

/** Reads the credential's map, which the form gives as JSON text. Throws an `Error` that says what is wrong. */
export function readBrandWords(value: unknown): BrandWordMap {
	if (value === undefined || value === null || emptyText.safeParse(value).success) return {};
	const map = brandWordMap.safeParse(typeof value === 'string' ? parseJson(value) : value);
	if (map.success) return map.data;
	throw new Error(
		`"Brand Words" must be a JSON object that maps any of ${BRAND_WORDS.join(', ')} to a word of letters, digits, dots, dashes or underscores`,
	);
}

/**
 * Checks and reads what the credential holds. Throws an `Error` for a base URL that is none, or that would send
 * the key in the clear over a public network (spec, Authentication).
 */
export function readConnection(credential: unknown): Connection {
	const stored = storedCredential.parse(credential);
	const url = parseWebUrl(stored.baseUrl.trim());
	if (!url) throw new Error('"Base URL" must be a full address that begins with https://');
	if (url.protocol === 'http:' && !isPrivateHost(url)) {
		throw new Error('"Base URL" must begin with https://, so that the API key is never sent in the clear');
	}
	return {
		baseUrl: stored.baseUrl.trim().replace(/\/+$/, ''),
		allowPrivateCallbacks: stored.allowPrivateCallbacks,
		brandWords: readBrandWords(stored.brandWords),
		redact: (text) => (stored.apiKey === '' ? text : text.replaceAll(stored.apiKey, '•••')),
	};
}

/** The slice of an n8n context that hands out credentials. */
interface CredentialSource {
	getCredentials(type: string): Promise<object>;
	getNode(): INode;
}

/** Reads the node's MediaGen credential. Throws a `NodeOperationError` that names the credential's field. */
export async function getConnection(context: CredentialSource): Promise<Connection> {
	return connectionOf(context.getNode(), await context.getCredentials(CREDENTIAL_TYPE));
}

/** The same for a credential that has been read. */
export function connectionOf(node: INode, credential: unknown): Connection {
	try {
		return readConnection(credential);
	} catch (error) {
		throw new NodeOperationError(node, 'The MediaGen credential cannot be used', {
			description: error instanceof Error ? error.message : undefined,
		});
	}
}
