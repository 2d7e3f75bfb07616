import { createHmac } from 'crypto';
import type { ICredentialDataDecryptedObject, ICredentialsDecrypted, INode } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { isBlank, parseJson } from '../util/json';
import { parseWebUrl } from '../util/schema';
import { z } from '../util/vendor/zod';
import { isPrivateHost } from './address';
import { BRAND_WORDS, type BrandWordMap, brandWordMap } from './brandWords';
import { asError, NOTHING_SENT } from './errors';
import { keyAsSent, type Redactor, redactor } from './redact';

export const CREDENTIAL_TYPE = 'mediaGenApi';

/** What the nodes use of the credential. n8n itself adds the key to requests. */
export interface Connection extends Redactor {
	/** Without a slash, or /v1, at its end. */
	baseUrl: string;
	/** Lifts the rules for public addresses, for a service on a private network. */
	allowPrivateCallbacks: boolean;
	brandWords: BrandWordMap;
	/** An HMAC of the text in base64url, which only a holder of the key can make. `undefined` without a credential. */
	sign(text: string): string | undefined;
	/** The credential, for n8n to sign requests with. Otherwise n8n would read and decrypt it for each request. */
	decrypted?: ICredentialsDecrypted;
}

/** For callbacks without a credential: files are fetched by the rules for public addresses. */
export const unknownConnection: Connection = {
	baseUrl: '',
	allowPrivateCallbacks: false,
	brandWords: {},
	...redactor(''),
	sign: () => undefined,
};

export const storedCredential = z.object({
	baseUrl: z.string().default(''),
	apiKey: z.string().default(''),
	allowPrivateCallbacks: z.boolean().default(false),
	brandWords: z.unknown(),
});

/** Reads the credential's map, which the form gives as JSON text. Throws an `Error` that says what is wrong. */
export function readBrandWords(value: unknown): BrandWordMap {
	if (isBlank(value)) return {};
	const map = brandWordMap.safeParse(typeof value === 'string' ? parseJson(value) : value);
	if (map.success) return map.data;
	throw new Error(
		`"Brand Words" must be a JSON object that maps any of ${BRAND_WORDS.join(', ')} to a word of letters, digits, dots, dashes or underscores`,
	);
}

/**
 * Checks and reads what the credential holds. Throws an `Error` for a base URL that is not one, or that would send the key
 * unencrypted over a public network (spec, Authentication).
 */
export function readConnection(credential: unknown): Connection {
	const stored = storedCredential.parse(credential);
	// The paths of the requests begin with /v1.
	const baseUrl = stored.baseUrl.trim().replace(/(?<![/:])\/+(?:v1\/*)?$/i, '');
	const url = parseWebUrl(baseUrl);
	// The URL class accepts `http:/…`, n8n does not.
	if (!url || !/^https?:\/\//i.test(baseUrl))
		throw new Error(
			'"Base URL" must be a full address that begins with https://, or with http:// on a private host',
		);
	if (/[?#]/.test(baseUrl)) throw new Error('"Base URL" must end before any "?" or "#"');
	// Requests would carry them in place of the key.
	if (url.username !== '' || url.password !== '')
		throw new Error('"Base URL" must have no user name or password');
	if (url.protocol === 'http:' && !isPrivateHost(url)) {
		throw new Error(
			'"Base URL" must begin with https://, so that the API key is never sent unencrypted',
		);
	}
	const key = keyAsSent(stored.apiKey);
	if (key === '') throw new Error('"API Key" is required');
	if (/[^ -~\x80-\xff]/.test(key))
		throw new Error('"API Key" must have only characters that a header can have: copy it again');
	return {
		baseUrl,
		allowPrivateCallbacks: stored.allowPrivateCallbacks,
		brandWords: readBrandWords(stored.brandWords),
		...redactor(key),
		sign: (text) => createHmac('sha256', key).update(text).digest('base64url'),
	};
}

export interface CredentialSource {
	getCredentials(type: string): Promise<ICredentialDataDecryptedObject>;
	getNode(): INode;
}

/** Reads the node's MediaGen credential. Throws a `NodeOperationError` that names the credential's field. */
export async function getConnection(context: CredentialSource): Promise<Connection> {
	const node = context.getNode();
	const data = await context.getCredentials(CREDENTIAL_TYPE);
	try {
		const { id, name } = node.credentials?.[CREDENTIAL_TYPE] ?? { id: null, name: '' };
		return {
			...readConnection(data),
			decrypted: { id: id ?? '', name, type: CREDENTIAL_TYPE, data },
		};
	} catch (error) {
		throw new NodeOperationError(node, 'The MediaGen credential cannot be used', {
			description: `${asError(error).message}.\n${NOTHING_SENT}`,
		});
	}
}
