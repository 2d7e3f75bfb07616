import { isObject, isText, listIn, objectOf, toText } from '../util/json';
import { parseWebUrl } from '../util/schema';

/** A line in the description of an error that occurs before a request. */
export const NOTHING_SENT = 'Nothing was sent to the service.';

/**
 * Whether a failed request may have been carried out anyway. `no`: the service said so, or never received it.
 * `maybe`: the connection broke after the request may have arrived, so a purchase must not be repeated.
 */
type Sent = 'no' | 'maybe';

interface ApiErrorDetails {
	httpStatus?: number;
	/** `error.type` of the service's envelope (spec, Errors). */
	type?: string;
	code?: string;
	/** Whether the response had the service's error envelope, and not, say, the page of a proxy. */
	fromService?: boolean;
	/** The beginning of a response that leaves in doubt what was bought: it may hold a result, or an id. */
	response?: string;
	/** Milliseconds that the service asks to wait before the next request. */
	retryAfterMs?: number;
}

/** A request that did not get a usable response. Holds no header, no key and no request body. */
export class ApiError extends Error {
	/** Whether the same request may succeed a moment later. */
	readonly transient: boolean = false;

	constructor(
		message: string,
		readonly sent: Sent = 'no',
		readonly details: ApiErrorDetails = {},
	) {
		super(message);
		this.name = new.target.name;
	}
}

export class TransientError extends ApiError {
	override readonly transient = true;
}

// Which status has which class: see `STATUSES`.
export class AuthenticationError extends ApiError {}
export class InsufficientBalanceError extends ApiError {}
export class PermissionError extends ApiError {}
export class NotFoundError extends ApiError {}
export class RateLimitError extends TransientError {}

/** 400 and other 4xx without a class of their own. */
export class InvalidRequestError extends ApiError {}

/** 5xx, and 425 */
export class ServerError extends TransientError {}

/** The request never left: refused, unknown host, TLS or certificate error. */
export class UnreachableError extends TransientError {}

/** The connection broke after it was made. */
export class ConnectionError extends TransientError {}

/** The connection was silent for too long, or 408 */
export class TimeoutError extends TransientError {}

/** A 2xx whose body is not what the spec shows, or a redirect. */
export class UnreadableResponseError extends TransientError {}

/** The record of a task other than the one that was asked for. */
export class OtherTaskError extends UnreadableResponseError {
	constructor(readonly taskId: string) {
		super(`The service answered with the record of task ${taskId}`, 'no', { fromService: true });
	}
}

/** A response that is larger than any record or answer. Reading it again would cost as much again. */
export class TooLargeError extends ApiError {}

const NOT_STORED = 'The file could not be stored';

class StorageError extends ApiError {}

/** n8n could not store a file, for a reason that is not known here and may be temporary. */
export class UnknownStorageError extends TransientError {
	constructor(reason: string) {
		super(`${NOT_STORED}: ${reason}`);
	}
}

export class CanceledError extends ApiError {
	constructor(sent: Sent = 'no') {
		// By this spelling n8n distinguishes a canceled execution from a failed one.
		super('The execution was canceled', sent);
	}
}

/** The node itself refused the address of a file. */
export class BlockedAddressError extends ApiError {}

/** Whether the service refuses the key: by now, the credential may have another one. */
export const isKeyRefused = (error: ApiError): boolean =>
	error instanceof AuthenticationError || error instanceof PermissionError;

export function asError(error: unknown): Error {
	return error instanceof Error ? error : new Error(String(error));
}

interface Response {
	statusCode: number;
	headers: Record<string, unknown>;
	body?: unknown;
}

/** Fields in which an error says why, besides `error`. */
export const REASONS = [
	...['message', 'msg', 'detail', 'details', 'reason', 'errors'],
	...['error_message', 'errorMessage', 'error_msg', 'error_description'],
];

/** The first text that says why, in an error of any form: a text, a list, or an object with one of these fields. */
function reasonIn(value: unknown, fields = REASONS, depth = 4): string | undefined {
	if (isText(value)) return value.trim();
	if (depth === 0) return undefined;
	const inner = isObject(value) ? ['error', ...fields].map((name) => value[name]) : listIn(value);
	for (const each of inner) {
		const reason = reasonIn(each, fields, depth - 1);
		if (reason !== undefined) return reason;
	}
	return undefined;
}

/** The reason in an error of another form than the specification's. A page, a link and a word of success say none. */
export function otherReason(error: unknown, fields?: string[]): string | undefined {
	const reason = reasonIn(error, fields);
	return reason === undefined || /^(?:<|https?:|data:|(?:ok|success)$)/i.test(reason)
		? undefined
		: toShortText(reason, SHOWN.inMessage);
}

/** What servers in front of the service answer: `{ "statusCode": 404, "error": "Not Found" }`. */
const STATUS_WORDS = /^(?:unauthorized|forbidden|not found)$/i;

/** Reads the error envelope, with any of its fields missing or `null`; or the `message` of a failed balance query. */
function readServiceMessage(body: unknown) {
	const { error, message, msg, code } = objectOf(body);
	if (isObject(error)) {
		return {
			message: toText(error.message),
			type: toText(error.type),
			code: toText(error.code),
			fromService: true,
		};
	}
	const reason = error === 0 ? undefined : toText(error);
	return {
		message: reason ?? toText(message) ?? toText(msg),
		code: toText(code),
		fromService: reason !== undefined,
	};
}

/** The statuses of errors, with the service's `error.type` where it has one (spec, Errors). */
const STATUSES: Record<number, readonly [typeof ApiError, headline: string, type?: string]> = {
	400: [InvalidRequestError, 'Bad request', 'invalid_request_error'],
	401: [AuthenticationError, 'Authentication failed', 'authentication_error'],
	402: [InsufficientBalanceError, 'Insufficient balance', 'payment_required'],
	403: [PermissionError, 'Permission denied', 'permission_error'],
	404: [NotFoundError, 'Not found', 'not_found_error'],
	408: [TimeoutError, 'The request timed out'],
	413: [InvalidRequestError, 'Too large for the service'],
	429: [RateLimitError, 'Rate limit reached', 'rate_limit_error'],
	502: [ServerError, 'Bad gateway (HTTP 502)', 'bad_gateway'],
};

const STATUS_OF_TYPE = new Map([
	...Object.entries(STATUSES).map(([status, [, , type]]) => [type, Number(status)] as const),
	['server_error', 500],
]);

function classOf(status: number, location?: unknown): (typeof STATUSES)[number] {
	const known = STATUSES[status];
	if (known) return known;
	if (status >= 500 || status === 425) return [ServerError, `Server error (HTTP ${status})`];
	if (status >= 400) return [InvalidRequestError, 'Bad request'];
	// Without the path of a redirect, which may hold a secret.
	const link =
		status >= 300 && isText(location) ? location.replace(/^\/\//, 'https://') : undefined;
	const target = link && (parseWebUrl(link)?.origin ?? 'another path');
	const headline = target ? `The service redirects to ${target}` : 'The response could not be read';
	return [UnreadableResponseError, `${headline} (HTTP ${status})`];
}

/** Redirects whose request was not carried out: it must be repeated elsewhere. Others can follow one that was. */
const NOT_CARRIED_OUT = [307, 308];

/** Maximum length of one text inside a value that is shown: a signed link still fits. */
const LONGEST_TEXT = 2_000;

/** A value in one line of at most `maxLength` characters, as JSON unless it is text. */
export function toShortText(value: unknown, maxLength: number): string {
	const cut = (text: string, length: number) =>
		text.length > length ? `${text.slice(0, length - 1)}…` : text;
	const shorten = (_: string, inner: unknown): unknown =>
		typeof inner === 'string' ? cut(inner, LONGEST_TEXT) : inner;
	const text =
		typeof value === 'string' ? cut(value, maxLength * 2) : (JSON.stringify(value, shorten) ?? '');
	return cut(text.replace(/\s+/g, ' ').trim(), maxLength);
}

/** Characters of an unreadable response in a message, and in an item. */
const SHOWN = { inMessage: 300, inItem: 8_000 };

/** The beginning of a response, which may hold what was bought. */
export const shortResponse = (body: unknown) => toShortText(body, SHOWN.inItem);

/** An answer for the end of a message that does not show it already. It may hold a result, or a task's ID under another name. */
export function answerInWords(response: string | undefined, message = ''): string {
	const shown = toShortText(response ?? '', SHOWN.inMessage);
	return !/[\p{L}\p{N}]/u.test(shown) || message.includes(shown) ? '' : `. The answer was ${shown}`;
}

/**
 * The error for a response with a status other than 2xx (spec, Errors). `now`: milliseconds since 1970, for a `Retry-After` date. `notFound`:
 * headline of a 404. `mayBeDone`: whether the body says that the request was carried out.
 */
export function errorFromResponse(
	response: Response,
	now: number,
	notFound?: string,
	mayBeDone = false,
): ApiError {
	const { statusCode: status, headers, body } = response;
	const [ErrorClass, headline] = classOf(status, headers.location);
	const { message, fromService, ...fields } = readServiceMessage(body);
	const title = (status === 404 ? notFound : undefined) ?? headline;
	// A 4xx other than 408 says that nothing was done. It is unknown what happened before a timeout, a 5xx or another redirect.
	const isRefused =
		NOT_CARRIED_OUT.includes(status) || (status >= 400 && status < 500 && status !== 408);
	const sent = isRefused && !mayBeDone ? 'no' : 'maybe';
	// The page of a proxy names nothing that was bought.
	const namesMore = sent === 'maybe' && isObject(body) && Object.keys(body).length > 0;
	const words = message ?? otherReason(body, [...REASONS, 'description']);
	const saysMore = words !== undefined && words.toLowerCase() !== title.toLowerCase();
	return new ErrorClass(saysMore ? `${title}: ${words}` : title, sent, {
		...fields,
		fromService: fromService && !STATUS_WORDS.test(toText(objectOf(body).error) ?? ''),
		httpStatus: status,
		response: namesMore ? shortResponse(body) : undefined,
		retryAfterMs: parseRetryAfter(headers['retry-after'], now),
	});
}

/** The error for a 2xx whose body is not what the spec shows. */
export function unreadableResponse(httpStatus: number, body?: unknown): UnreadableResponseError {
	const shown = toShortText(body, SHOWN.inMessage);
	const message = `The response could not be read (HTTP ${httpStatus})${shown === '' ? '' : `: ${shown}`}`;
	const response = shown === '' ? undefined : shortResponse(body);
	return new UnreadableResponseError(message, 'maybe', { httpStatus, response });
}

export function statusNamed({ code, type }: { code?: string; type?: string }): number | undefined {
	const status = Number(code);
	return status >= 400 && status <= 599 ? status : STATUS_OF_TYPE.get(type ?? '');
}

/**
 * The error for a 2xx whose body is an error: `error`, a `code` of 400 or more, or `success: false`. `undefined` for any other body. A 4xx
 * in the body also says that nothing was done, unless the body says otherwise; what any other error cost is unknown.
 */
export function errorInBody(body: unknown, sent?: 'maybe'): ApiError | undefined {
	const { message, type, code, fromService } = readServiceMessage(body);
	const status = statusNamed({ code, type });
	const failed = isObject(body) && body.success === false;
	if (status === undefined && (message === undefined || !(fromService || failed))) return undefined;
	const [ErrorClass, headline] = classOf(status ?? 500);
	const refused = !sent && (status ?? 500) < 500 && ErrorClass !== TimeoutError;
	const title = refused ? headline : 'The service answered with an error';
	const words = message === undefined ? title : `${title}: ${message}`;
	const details = { type, code, fromService: true };
	return refused
		? new ErrorClass(words, 'no', details)
		: new ErrorClass(words, 'maybe', { ...details, response: shortResponse(body) });
}

const DAY_MS = 86_400_000;
const MIN_RETRY_AFTER_MS = 500;

/** Reads `Retry-After`, in seconds or as a date, into milliseconds from `now`, at least 500. More than a day counts as absent. */
export function parseRetryAfter(header: unknown, now: number): number | undefined {
	if (typeof header !== 'string' || header.trim() === '') return undefined;
	const seconds = Number(header);
	const ms = Number.isNaN(seconds) ? Date.parse(header) - now : seconds * 1_000;
	return Number.isNaN(ms) || ms > DAY_MS ? undefined : Math.max(MIN_RETRY_AFTER_MS, ms);
}

/** No address was found for the host, or none of them answered. */
const NEVER_CONNECTED = /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN)$/;

/** The connection was made and then lost. */
const ON_A_CONNECTION = /\b(?:read|write) E[A-Z]/;

/** Certificate and header errors: the request was not written. (`ERR_SSL_…` can come after it was read.) */
const NEVER_SENT =
	/^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_|ERR_HTTP_INVALID_HEADER|ERR_INVALID_CHAR|ERR_INVALID_URL|HOSTNAME_MISMATCH|INVALID_CA)/;

/** A TLS connection that was never made, such as https to a port that speaks plain http. */
const NO_HANDSHAKE = /wrong version number|handshake failure|unsupported protocol/;

/** Node.js writes the request when the TLS connection is made, not before. */
const CLOSED_IN_HANDSHAKE = /disconnected before secure TLS connection was established/;

/** n8n 2.x, with N8N_SSRF_PROTECTION_ENABLED, refuses addresses of its own network before it connects. */
const BLOCKED_BY_N8N = /request was blocked because .{0,40}restricted/;

const MOST_LINKS = 20;

/** The codes and the words of an error, of its causes, and of those for each address of a host. */
function traceOf(error: unknown): { codes: string[]; text: string } {
	const links = [error];
	const codes: string[] = [];
	const texts: unknown[] = [];
	for (let at = 0; at < Math.min(links.length, MOST_LINKS); at++) {
		const { code, httpCode, message, messages, cause, errors } = objectOf(links[at]);
		// n8n keeps the code of its HTTP client's error, and a list of the messages that it replaced.
		codes.push(...[code, httpCode].filter(isText));
		texts.push(message, ...listIn(messages));
		links.push(cause, ...listIn(errors));
	}
	return { codes, text: texts.join('\n') };
}

const notReached = (...why: string[]) =>
	new UnreachableError(['The service could not be reached', ...why].join(': '));

/** The error for what n8n's HTTP helper threw. Takes over nothing that could hold a header. */
export function errorFromThrown(error: unknown): ApiError {
	if (error instanceof ApiError) return error;
	const { codes, text } = traceOf(error);
	const has = (...wanted: string[]) => codes.some((code) => wanted.includes(code));
	if (has('ERR_CANCELED', 'ABORT_ERR')) return new CanceledError('maybe');
	// Whatever the reason of the system: `connect EADDRNOTAVAIL`, `getaddrinfo EAI_FAIL`.
	const isBeforeConnection = (code: string) =>
		NEVER_CONNECTED.test(code) ||
		['connect', 'getaddrinfo'].some((call) => text.includes(`${call} ${code}`));
	if (codes.some(isBeforeConnection) && !ON_A_CONNECTION.test(text)) return notReached();
	if (BLOCKED_BY_N8N.test(text)) {
		return new UnreachableError(
			"n8n's SSRF protection refuses the address: allow it with N8N_SSRF_ALLOWED_HOSTNAMES or N8N_SSRF_ALLOWED_IP_RANGES",
		);
	}
	if ((has('EPROTO') && NO_HANDSHAKE.test(text)) || CLOSED_IN_HANDSHAKE.test(text))
		return notReached(
			'no TLS connection could be made. A service on a private host may need http://',
		);
	const neverSent = codes.find((code) => NEVER_SENT.test(code));
	if (neverSent !== undefined) return notReached(neverSent);
	if (has('ETIMEDOUT', 'ECONNABORTED') || /timeout of \d+ ?ms/.test(text))
		return new TimeoutError('The request timed out', 'maybe');
	return connectionLost();
}

export function connectionLost(): ConnectionError {
	return new ConnectionError('The connection to the service was lost', 'maybe');
}

/** States of a storage, with the error codes of file systems, SQLite and PostgreSQL. */
const STORAGE_STATES = [
	['is full', ['ENOSPC', 'SQLITE_FULL', '53100']],
	['has used up its quota', ['EDQUOT']],
	['is read-only', ['EROFS', 'SQLITE_READONLY']],
	// n8n also reports this if it cannot make a folder in a read-only storage.
	['is missing or read-only', ['ENOENT', 'ENOTDIR']],
	['does not let n8n write', ['EACCES', 'EPERM']],
] as const;

/** The error of a storage that is full or read-only; `undefined` for any other error. */
export function storageError(error: unknown): StorageError | undefined {
	const { codes } = traceOf(error);
	const state = STORAGE_STATES.find(([, known]) => known.some((code) => codes.includes(code)));
	// The message does not contain the code: n8n replaces a message that has one.
	return state && new StorageError(`${NOT_STORED}: n8n's storage for files ${state[0]}`);
}
