import type {
	IAdditionalCredentialOptions,
	IDataObject,
	IHttpRequestMethods,
	IHttpRequestOptions,
	Logger,
} from 'n8n-workflow';

import { clock, sleep, sleepOnHost } from '../util/clock';
import { isObject, isText, objectOf, parseExactJson, textOrJson } from '../util/json';
import { z } from '../util/vendor/zod';
import { inDeploymentWords, toDeploymentWords } from './brandWords';
import { type Connection, CREDENTIAL_TYPE, type CredentialSource } from './connection';
import {
	type ApiError,
	asError,
	CanceledError,
	errorFromResponse,
	errorFromThrown,
	errorInBody,
	RateLimitError,
	shortResponse,
	TimeoutError,
	TooLargeError,
	unreadableResponse,
	UnreachableError,
} from './errors';
import { MultipartForm } from './multipart';

/**
 * What a failed request may do.
 * - `purchase`: it buys a task or an answer. It is sent again only when the service certainly did not accept it.
 * - `read`: it changes nothing, or nothing that costs. It is sent again after every transient error.
 * - `once`: the caller decides.
 */
type RetryPolicy = 'purchase' | 'read' | 'once';

/** Attempts before a request is given up. A rate limit is waited for until the caller's deadline instead. */
export const MAX_ATTEMPTS = 5;

export function mayRetry(policy: RetryPolicy, error: ApiError, attempts: number): boolean {
	if (policy === 'once') return false;
	if (error instanceof RateLimitError) return policy === 'read' || error.sent === 'no';
	if (attempts >= MAX_ATTEMPTS) return false;
	// A second POST after a reset, a timeout or a 5xx could buy a second task.
	return policy === 'purchase' ? error instanceof UnreachableError : error.transient;
}

const FIRST_BACKOFF_MS = 1_000;
const LONGEST_BACKOFF_MS = 30_000;

/** How many own attempts count for the wait of a request under a rate limit. */
const MOST_OWN = 3;

/** Milliseconds before the next attempt: what the service asked for, else doubling with jitter. */
export function backoffMs(error: ApiError, attempts: number): number {
	if (error.details.retryAfterMs !== undefined) return error.details.retryAfterMs;
	const ceiling = Math.min(FIRST_BACKOFF_MS * 2 ** (attempts - 1), LONGEST_BACKOFF_MS);
	return ceiling * (0.5 + Math.random() / 2);
}

/** Starts a time limit of `ms` milliseconds, which also ends when `cancel` is aborted. `late` is the message after that time. */
function hardEnd(ms: number, late: string, cancel: AbortSignal | undefined) {
	const end = new AbortController();
	const done = new AbortController();
	const ended = new Promise<never>((_, reject) => {
		end.signal.addEventListener('abort', () => reject(asError(end.signal.reason)));
	});
	// It may end when nobody waits for it: between two pieces of a stream.
	ended.catch(() => {});
	const onCancel = () => end.abort(new CanceledError('maybe'));
	if (cancel?.aborted) onCancel();
	cancel?.addEventListener('abort', onCancel, { signal: done.signal });
	void sleepOnHost(ms, done.signal).then(() => {
		if (!done.signal.aborted) end.abort(new TimeoutError(late, 'maybe'));
	});
	/** `signal` is aborted with a `TimeoutError` after the time, or with a `CanceledError`; `ended` then rejects. */
	return { signal: end.signal, ended, release: () => done.abort() };
}

/**
 * Does work that gives up when its signal is aborted: after `ms` milliseconds, with a `TimeoutError` that says `late`, or at `cancel`. n8n's
 * own time limit counts idle time only, so an answer of one byte every few seconds outlives it.
 */
export async function withHardEnd<Result>(
	ms: number,
	late: string,
	cancel: AbortSignal | undefined,
	work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
	const end = hardEnd(ms, late, cancel);
	try {
		return await Promise.race([end.ended, work(end.signal)]);
	} finally {
		end.release();
	}
}

/** The part of a readable stream that is needed here: the build must not import `stream`. */
export type ByteStream = NodeJS.ReadableStream & {
	destroy(error?: Error): void;
	readonly destroyed?: boolean;
};

const byteStream = z.custom<ByteStream>(
	(value) => typeof value === 'object' && value !== null && 'pipe' in value && 'destroy' in value,
);

export const MEGABYTE = 1_000_000;
const MAX_TEXT_MB = 64;

/** The pieces of a body. Throws for more than `maxBytes`. Ending the loop early destroys the stream. */
export async function* bounded(
	body: AsyncIterable<Buffer | string> | Iterable<string>,
	maxBytes: number,
	tooLarge: () => Error,
): AsyncGenerator<Buffer> {
	let bytes = 0;
	for await (const chunk of body) {
		const piece = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
		bytes += piece.length;
		if (bytes > maxBytes) throw tooLarge();
		yield piece;
	}
}

export interface ServiceContext extends CredentialSource {
	helpers: {
		httpRequestWithAuthentication(
			this: ServiceContext,
			credentialType: string,
			options: IHttpRequestOptions,
			additional?: IAdditionalCredentialOptions,
		): Promise<unknown>;
	};
	logger: Logger;
}

/** Milliseconds since 1970; a function if it moves while a request waits. */
export type Deadline = number | (() => number);

export const deadlineMs = (deadline: Deadline): number =>
	typeof deadline === 'function' ? deadline() : deadline;

export interface ApiRequest {
	method: IHttpRequestMethods;
	/** Begins with `/`, in the spec's words. */
	path: string;
	/** JSON, in the spec's words; or a form or bytes, with their `content-type` among the headers. */
	body?: IDataObject | MultipartForm | Buffer;
	headers?: Record<string, string>;
	retry: RetryPolicy;
	/** No attempt begins after it. Default: three minutes from now. */
	deadline?: Deadline;
	/** Milliseconds for one attempt, to the last byte of its answer. Default: one minute. */
	timeoutMs?: number;
	/** Milliseconds of `timeoutMs` that may pass without data. Default: all of them. */
	idleMs?: number;
	/** Headline of a 404. */
	notFound?: string;
	/** Whether the body of a refusal says that the request was carried out anyway. */
	mayBeDone?: (body: unknown) => boolean;
	/** Ends the request at once when it is aborted, even a purchase: what it bought is then lost. */
	abandon?: AbortSignal;
}

/** Converts a response of any shape to a value; `undefined` if it does not hold one. */
type Reader<Value> = (answer: unknown, statusCode: number) => Value | undefined;

/** Reads the body of a 2xx. Throws an `ApiError` if it cannot be read. The header `location` may name what the body does not. */
export function parseAnswer<Value>(
	read: Reader<Value>,
	{ body, statusCode, headers: { location } }: Awaited<ReturnType<typeof readResponse>>,
): Value {
	const value = read(body, statusCode);
	if (value !== undefined) return value;
	const shown = isText(location) ? [`Location: ${location}`, textOrJson(body)].join(' ') : body;
	throw errorInBody(body) ?? unreadableResponse(statusCode, shown);
}

export const ATTEMPT_TIMEOUT_MS = 60_000;
/** Time of an attempt that begins right before the deadline. */
const MIN_ATTEMPT_MS = 5_000;
export const DEFAULT_DEADLINE_MS = 180_000;

/** Milliseconds for which a rate limit holds up reads at most: they wait for what was bought. */
export const READS_HELD_UP_MS = 30_000;

const fullResponse = z.object({
	statusCode: z.number(),
	headers: z.record(z.unknown()).catch({}),
	body: z.unknown(),
});

export const streamResponse = fullResponse.extend({ body: byteStream });

export type StreamResponse = z.infer<typeof streamResponse>;

export const isSuccess = ({ statusCode }: { statusCode: number }) =>
	statusCode >= 200 && statusCode <= 299;

const CANCEL_SIGNAL = 'getExecutionCancelSignal';

/** n8n's helper replaces the signal of a request with that of its context, if the context can be canceled. */
function withSignal(context: ServiceContext, signal: AbortSignal): ServiceContext {
	return new Proxy(context, {
		has: (target, name) => name === CANCEL_SIGNAL || name in target,
		get: (target, name, receiver): unknown =>
			name === CANCEL_SIGNAL ? () => signal : Reflect.get(target, name, receiver),
	});
}

/** A body, in pieces as they come. Throws an `ApiError` if it breaks off, takes too long, or is too large. */
async function* readPieces(body: unknown, end: ReturnType<typeof hardEnd>): AsyncGenerator<Buffer> {
	const stream = byteStream.safeParse(body);
	const destroy = () => stream.data?.destroy(asError(end.signal.reason));
	end.signal.addEventListener('abort', destroy);
	// n8n itself makes up a body that is no stream, in an evaluation.
	const text = stream.data ?? [textOrJson(body)];
	const tooLarge = `The response has more than ${MAX_TEXT_MB} MB of text`;
	const pieces = bounded(text, MAX_TEXT_MB * MEGABYTE, () => new TooLargeError(tooLarge, 'maybe'));
	try {
		// The time limit ends this even if the stream never reports its end.
		for (;;) {
			const next = await Promise.race([end.ended, pieces.next()]);
			if (next.done) return;
			yield next.value;
		}
	} catch (error) {
		throw errorFromThrown(end.signal.aborted ? end.signal.reason : error);
	} finally {
		end.release();
		end.signal.removeEventListener('abort', destroy);
		stream.data?.destroy();
	}
}

/** A response that has begun. Its body is read as it comes. */
type OpenResponse = Omit<z.infer<typeof fullResponse>, 'body'> & { pieces: AsyncGenerator<Buffer> };

/** Starts a request of at most `ms` milliseconds, to the last byte of the response. Throws an `ApiError` if it ends before that begins. */
export async function openResponse(
	ms: number,
	cancel: AbortSignal | undefined,
	request: (signal: AbortSignal) => Promise<unknown>,
): Promise<OpenResponse> {
	const end = hardEnd(ms, 'The request timed out', cancel);
	const responded = request(end.signal);
	try {
		const { body, ...head } = fullResponse.parse(await Promise.race([end.ended, responded]));
		return { ...head, pieces: readPieces(body, end) };
	} catch (error) {
		end.release();
		// If the request does not give up, a late response must not keep its connection.
		void responded.then(
			(late) => streamResponse.safeParse(late).data?.body.destroy(),
			() => {},
		);
		throw errorFromThrown(error);
	}
}

/** The whole of a body, without the key: JSON, or text. */
export async function readBody(
	pieces: AsyncIterable<Buffer>,
	{ redact }: Connection,
): Promise<unknown> {
	const chunks: Buffer[] = [];
	// Without a byte order mark, as n8n reads text.
	const text = () => new TextDecoder().decode(Buffer.concat(chunks));
	try {
		for await (const piece of pieces) chunks.push(piece);
	} catch (thrown) {
		const error = errorFromThrown(thrown);
		// What came may name what was bought, or be all that was to come.
		const came = text();
		const read = error instanceof CanceledError ? undefined : parseExactJson(came);
		if (isObject(read)) return redact(read);
		const shown = shortResponse(redact(came));
		if (shown !== '') error.details.response = shown;
		throw error;
	}
	const whole = text();
	return redact(parseExactJson(whole) ?? whole);
}

/** A response that has come whole, without the key. */
export async function readResponse({ pieces, ...head }: OpenResponse, connection: Connection) {
	const headers = objectOf(connection.redact(head.headers));
	return { ...head, headers, body: await readBody(pieces, connection) };
}

function toHttpOptions(request: ApiRequest, connection: Connection): IHttpRequestOptions {
	const words = connection.brandWords;
	const { body } = request;
	const isBytes = Buffer.isBuffer(body) || body instanceof MultipartForm;
	const isJson = body !== undefined && !isBytes;
	const headers = Object.entries(request.headers ?? {}).map(
		([name, value]) => [toDeploymentWords(name, words), value] as const,
	);
	return {
		method: request.method,
		url: connection.reveal(connection.baseUrl + toDeploymentWords(request.path, words)),
		headers: {
			...(isJson && { 'content-type': 'application/json' }),
			...Object.fromEntries(headers),
		},
		// As text: n8n sends nothing for an empty object, and its HTTP client drops a field named `__proto__`.
		body: isJson ? JSON.stringify(inDeploymentWords(body, words)) : body,
		json: !isBytes,
		timeout: clock.toHostMs(request.idleMs ?? request.timeoutMs ?? ATTEMPT_TIMEOUT_MS),
		// n8n's own reading of JSON rounds long ids, and has no size limit.
		encoding: 'stream',
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		// A redirected POST may be sent twice, and a redirect could carry the key to another host.
		disableFollowRedirect: true,
	};
}

/** Sends requests that share a rate limit: if the service asks one of them to wait, all wait, reads for half a minute at most. */
export function createSend(context: ServiceContext, connection: Connection, signal?: AbortSignal) {
	let quietUntil = 0;
	let readsQuietUntil = 0;
	/** Rate limits in a row, of which none let a request through. Those that come while one is waited for are the same. */
	let limits = 0;
	/** Attempts of a request while none has reached the service: all, until one has used them. Then each has one. */
	let mostUnreached = MAX_ATTEMPTS;
	const { decrypted: credentialsDecrypted } = connection;

	async function openOnce(request: ApiRequest): Promise<OpenResponse> {
		const { body, notFound, mayBeDone, abandon } = request;
		const { timeoutMs = ATTEMPT_TIMEOUT_MS, deadline = Infinity } = request;
		const buys = request.retry === 'purchase';
		const left = Math.max(MIN_ATTEMPT_MS, deadlineMs(deadline) - clock.now());
		const response = await openResponse(
			buys ? timeoutMs : Math.min(timeoutMs, left),
			// A cancel must not abort a purchase in flight: its task would be paid for and its id lost.
			abandon ?? (buys ? undefined : signal),
			async (end) =>
				await context.helpers.httpRequestWithAuthentication.call(
					withSignal(context, end),
					CREDENTIAL_TYPE,
					toHttpOptions(request, connection),
					credentialsDecrypted && { credentialsDecrypted },
				),
		).catch((error: unknown) => {
			throw body instanceof MultipartForm && body.failure ? body.failure : error;
		});
		if (isSuccess(response)) return response;
		const read = await readResponse(response, connection);
		throw errorFromResponse(read, clock.now(), notFound, mayBeDone?.(read.body));
	}

	/** Waits for the end of a rate limit. Throws if that would pass the deadline; a caller that asks again by itself then has a last try. */
	async function waitForQuiet({ retry }: ApiRequest, deadline: Deadline, cancel?: AbortSignal) {
		const until = () => {
			if (retry === 'purchase') return quietUntil;
			return retry === 'once' ? Math.min(readsQuietUntil, deadlineMs(deadline)) : readsQuietUntil;
		};
		while (clock.now() < until() && !cancel?.aborted) {
			if (until() > deadlineMs(deadline))
				throw new RateLimitError('Rate limit reached', 'no', { httpStatus: 429 });
			await sleep(until() - clock.now(), cancel);
		}
		if (cancel?.aborted) throw new CanceledError();
	}

	/** Milliseconds before the next attempt. A rate limit holds up the others too. */
	function waitAfter(error: ApiError, attempts: number): number {
		if (!(error instanceof RateLimitError)) {
			if (error.details.httpStatus !== undefined) limits = 0;
			return backoffMs(error, attempts);
		}
		const now = clock.now();
		if (now >= quietUntil) limits += 1;
		quietUntil = Math.max(quietUntil, now + backoffMs(error, Math.max(1, limits)));
		readsQuietUntil = Math.min(quietUntil, now + READS_HELD_UP_MS);
		// A limit may hold for some requests only, while others get through: each also waits by its own attempts, for a few seconds.
		return backoffMs(error, Math.max(limits, Math.min(attempts, MOST_OWN)));
	}

	/**
	 * Sends one request. Throws an `ApiError` after as many attempts as the policy allows. `read` gets the response as soon as it
	 * begins: its pieces end with the request's time limit, or when it is abandoned, and throw an `ApiError` if the connection breaks.
	 */
	async function open<Value>(
		request: ApiRequest,
		read: (response: OpenResponse) => Promise<Value>,
	): Promise<Value> {
		const deadline = request.deadline ?? clock.now() + DEFAULT_DEADLINE_MS;
		const cancel = request.abandon ?? signal;
		for (let attempts = 1; ; attempts++) {
			await waitForQuiet(request, deadline, cancel);
			try {
				const value = await read(await openOnce(request));
				limits = 0;
				mostUnreached = Infinity;
				return value;
			} catch (thrown) {
				const error = errorFromThrown(thrown);
				if (!(error instanceof UnreachableError)) mostUnreached = Infinity;
				const isGivenUp = attempts >= mostUnreached;
				if (isGivenUp) mostUnreached = 1;
				const wait = waitAfter(error, attempts);
				const mayGoOn = !isGivenUp && mayRetry(request.retry, error, attempts);
				if (!mayGoOn || clock.now() + wait > deadlineMs(deadline)) throw error;
				context.logger.debug(`MediaGen: ${error.message}. Next attempt in ${Math.round(wait)} ms`);
				await sleep(wait, cancel);
			}
		}
	}

	return {
		open,
		send: async <Value>(request: ApiRequest, read: Reader<Value>): Promise<Value> =>
			await open(request, async (response) =>
				parseAnswer(read, await readResponse(response, connection)),
			),
	};
}
