import { createHash, timingSafeEqual } from 'crypto';

import { parseWebUrl } from '../util/schema';
import type { Connection } from './connection';

/** What a call says of the node that made its address. `right`: it has the same API key. */
export type Signature = 'missing' | 'right' | 'wrong';

type Signer = Pick<Connection, 'sign'>;

type Query = Readonly<Record<string, unknown>>;

const textIn = (query: Query, name: string): string | undefined => {
	const value = query[name];
	return typeof value === 'string' && value !== '' ? value : undefined;
};

/** A service that appends `/callback` to the text of an address appends it to the last parameter. */
const withoutCallback = (value: string | undefined): string | undefined =>
	value?.replace(/\/callback$/, '');

function isRight(expected: string | undefined, given: string): boolean {
	const [one, other] = [Buffer.from(expected ?? ''), Buffer.from(given)];
	return one.length > 0 && one.length === other.length && timingSafeEqual(one, other);
}

function withParameters(address: string, parameters: Record<string, string | undefined>): string {
	const [base = '', ...fragment] = address.split('#');
	const query = Object.entries(parameters)
		.flatMap(([name, value]) => (value === undefined ? [] : `${name}=${encodeURIComponent(value)}`))
		.join('&');
	if (query === '') return address;
	return [`${base}${base.includes('?') ? '&' : '?'}${query}`, ...fragment].join('#');
}

export function below(address: string, path: string): string {
	const url = parseWebUrl(address);
	if (!url) return address + path;
	url.pathname += path;
	return url.href;
}

function signReference({ sign }: Signer, address: string, reference: string): string | undefined {
	const path = parseWebUrl(address)?.pathname.split('/') ?? [];
	// The end of a trigger's path stays the same behind a proxy and in the test URL.
	const pathEnd = path.filter((part) => part !== '').at(-1);
	return sign(JSON.stringify(['reference', pathEnd, reference]));
}

/**
 * A callback address that brings back a text of the user's own. The signature is the last parameter of its query: a service that appends
 * `/callback` to the text of an address then appends to it. An address with a reference or a signature of its own stays as it is, such as
 * that of an execution.
 */
export function withReference(signer: Signer, address: string, reference: string): string {
	const own = parseWebUrl(address)?.searchParams;
	if (own?.has('reference') || own?.has('signature')) return address;
	const signature = signReference(signer, address, reference);
	return withParameters(address, { reference, signature });
}

export function readReference(query: Query) {
	const signature = textIn(query, 'signature');
	const reference = textIn(query, 'reference');
	const whole = signature === undefined ? withoutCallback(reference) : reference;
	return { reference: whole === '' ? undefined : whole, signature: withoutCallback(signature) };
}

/** Checks the signature of a reference that has arrived at the trigger with this address. */
export function checkReference(
	signer: Signer,
	address: string,
	{ reference = '', signature }: ReturnType<typeof readReference>,
): Signature {
	if (signature === undefined) return 'missing';
	return isRight(signReference(signer, address, reference), signature) ? 'right' : 'wrong';
}

const signExecution = ({ sign }: Signer, executionId: string): string | undefined =>
	sign(JSON.stringify(['execution', executionId]));

/** n8n 2.x signs the address of a paused execution, and checks it before a node is called. In 1.x it contains only a number. */
export const isSigned = (resumeUrl: string): boolean =>
	parseWebUrl(resumeUrl)?.searchParams.has('signature') === true;

/** The address of a paused execution, with a secret where n8n has not signed it. */
export function withSecret(signer: Signer, resumeUrl: string, executionId: string): string {
	const secret = isSigned(resumeUrl) ? undefined : signExecution(signer, executionId);
	return withParameters(resumeUrl, { secret });
}

const digestOf = (secret: string): string =>
	createHash('sha256').update(secret).digest('base64url');

/** What a paused execution keeps of its address's secret, if any: the address stays valid when the API key is changed. */
export function secretDigest(address: string): string | undefined {
	const secret = parseWebUrl(address)?.searchParams.get('secret');
	return secret ? digestOf(secret) : undefined;
}

/** Checks the secret of a call to a paused execution. If this key did not make it, `readDigest` gives what `secretDigest` gave before the pause. */
export function checkSecret(
	signer: Signer,
	resumeUrl: string,
	executionId: string,
	query: Query,
	readDigest: () => unknown,
): Signature {
	if (isSigned(resumeUrl)) return 'right';
	const secret = withoutCallback(textIn(query, 'secret'));
	if (secret === undefined) return 'missing';
	if (isRight(signExecution(signer, executionId), secret)) return 'right';
	const digest = readDigest();
	return typeof digest === 'string' && isRight(digest, digestOf(secret)) ? 'right' : 'wrong';
}
