import type {
	IAdditionalCredentialOptions,
	IDataObject,
	IHttpRequestMethods,
	IHttpRequestOptions,
	Logger,
} from 'n8n-workflow';

import { clock, sleep, sleepOnHost } from '../util/clock';
import { parseExactJson } from '../util/json';
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
	TimeoutError,
	TooLargeError,
	unreadableResponse,
	UnreachableError,
} from './errors';

/**
 * What a failed request may do.
 * - `purchase`: it buys a task or an answer. It is sent again only when the service certainly did not accept it.
 * - `read`: it changes nothing, or nothing that costs. It is sent again after every transient error.
 * - `once`: the caller decides.
 */
export type RetryPolicy = 'purchase' | 'read' | 'once';

/** Attempts before a request is given up. A rate limit is waited for until the caller's deadline instead. */
export const MAX_ATTEMPTS = 5;

/** Whether `error`, after the given number of attempts, allows another one. */
export function mayRetry(policy: RetryPolicy, error: ApiError, attempts: number): boolean {
	if (policy === 'once') return false;
	if (error instanceof RateLimitError) return true;
	if (attempts >= MAX_ATTEMPTS) return false;
	// A second POST after a reset, a timeout or a 5xx could buy a second task.
	return policy === 'purchase' ? error instanceof UnreachableError : error.transient;
}

const FIRST_BACKOFF_MS = 1_000;
const LONGEST_BACKOFF_MS = 30_000;

/** Milliseconds before the next attempt: what the service asked for, else doubling with jitter. */
export function backoffMs(error: ApiError, attempts: number): number {
	if (error.details.retryAfterMs !== undefined) return error.details.retryAfterMs;
	const ceiling = Math.min(FIRST_BACKOFF_MS * 2 ** (attempts - 1), LONGEST_BACKOFF_MS);
	return ceiling * (0.5 + Math.random() / 2);
}

/**
 * Does the work of one request, and ends it after `ms` milliseconds or when `cancel` is aborted, whatever comes meanwhile: n8n's own
 * time limit counts idle time only, so that an answer of a byte every few seconds outlives it. Throws a `TimeoutError` or a
 * `CanceledError` then, at once.
 *
 * @param late what is said after the time
 * @param work gives up when its signal is aborted
 */
export async function withHardEnd<Result>(
	ms: number,
	late: string,
	cancel: AbortSignal | undefined,
	work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
	const end = new AbortController();
	const done = new AbortController();
	const ended = new Promise<never>((_, reject) => {
		end.signal.addEventListener('abort', () => reject(asError(end.signal.reason)));
	});
	const onCancel = () => end.abort(new CanceledError('maybe'));
	if (cancel?.aborted) onCancel();
	cancel?.addEventListener('abort', onCancel);
	void sleepOnHost(ms, done.signal).then(() => {
		if (!done.signal.aborted) end.abort(new TimeoutError(late, 'maybe'));
	});
	try {
		return await Promise.race([ended, work(end.signal)]);
	} finally {
		done.abort();
		cancel?.removeEventListener('abort', onCancel);
	}
}

/** A readable stream by what is needed of it: the build must not import `stream`. */
export type ByteStream = NodeJS.ReadableStream & {
	destroy(error?: Error): void;
	readonly destroyed?: boolean;
};

export const byteStream = z.custom<ByteStream>(
	(value) => typeof value === 'object' && value !== null && 'pipe' in value && 'destroy' in value,
);

export const MEGABYTE = 1_000_000;
const MAX_TEXT_MB = 64;

const utf8 = new TextDecoder();

/**
 * Reads a stream to its end as text. Throws a `TooLargeError` for one of more than 64 MB after decompression. An aborted `signal` ends
 * it.
 */
export async function readText(body: ByteStream, signal?: AbortSignal): Promise<string> {
	const destroy = () => body.destroy();
	signal?.addEventListener('abort', destroy);
	const chunks: Buffer[] = [];
	let bytes = 0;
	try {
		for await (const chunk of body) {
			const piece = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
			bytes += piece.length;
			// Leaving the loop destroys the stream.
			if (bytes > MAX_TEXT_MB * MEGABYTE)
				throw new TooLargeError(`The response has more than ${MAX_TEXT_MB} MB of text`, 'maybe');
			chunks.push(piece);
		}
	} finally {
		signal?.removeEventListener('abort', destroy);
	}
	// Without a byte order mark, as n8n reads text.
	return utf8.decode(Buffer.concat(chunks));
}

/** What every n8n context that can call the service has in common. */
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

/** Milliseconds since 1970; a function where it moves while a request waits. */
export type Deadline = number | (() => number);

export const deadlineMs = (deadline: Deadline): number =>
	typeof deadline === 'function' ? deadline() : deadline;

export interface ApiRequest {
	method: IHttpRequestMethods;
	/** Begins with `/`, in the spec's words. */
	path: string;
	/** JSON, in the spec's words; or bytes, with their `content-type` among the headers. */
	body?: IDataObject | Buffer;
	headers?: Record<string, string>;
	retry: RetryPolicy;
	/** No attempt begins after it. Default: three minutes from now. */
	deadline?: Deadline;
	/** Milliseconds for one attempt, to the last byte of its answer. Default: one minute. */
	timeoutMs?: number;
	/** Milliseconds of them without data. Default: all. */
	idleMs?: number;
	/** Headline of a 404. */
	notFound?: string;
}

/** Reads a response of any shape into a value. */
export type ResponseSchema<Value> = z.ZodType<Value, z.ZodTypeDef, unknown>;

/** Sends one request and reads its response. Throws an `ApiError` after as many attempts as the policy allows. */
export type Send = <Value>(request: ApiRequest, schema: ResponseSchema<Value>) => Promise<Value>;

const ATTEMPT_TIMEOUT_MS = 60_000;
const DEFAULT_DEADLINE_MS = 180_000;

const fullResponse = z.object({
	statusCode: z.number(),
	headers: z.record(z.unknown()).catch({}),
	body: z.unknown(),
});

const CANCEL_SIGNAL = 'getExecutionCancelSignal';

/** n8n's helper replaces the signal of a request by the one of its context, where the context can be canceled. */
function withSignal(context: ServiceContext, signal: AbortSignal): ServiceContext {
	return new Proxy(context, {
		has: (target, name) => name === CANCEL_SIGNAL || name in target,
		get: (target, name, receiver): unknown =>
			name === CANCEL_SIGNAL ? () => signal : Reflect.get(target, name, receiver),
	});
}

/** n8n gives a stream, but for answers that it makes up itself, in an evaluation. */
async function readBody(body: unknown, signal: AbortSignal): Promise<unknown> {
	const stream = byteStream.safeParse(body);
	const content = stream.success ? await readText(stream.data, signal) : body;
	return typeof content === 'string' ? (parseExactJson(content) ?? content) : content;
}

const JSON_TYPE = { 'content-type': 'application/json' };

/** JSON goes out as text: of an object n8n sends nothing if it is empty, and its HTTP client drops a field named `__proto__`. */
function toPayload(
	{ body }: ApiRequest,
	connection: Connection,
): Pick<IHttpRequestOptions, 'body' | 'json'> & { headers: Record<string, string> } {
	if (body === undefined) return { body, json: true, headers: {} };
	if (Buffer.isBuffer(body)) return { body, json: false, headers: {} };
	return {
		body: JSON.stringify(inDeploymentWords(body, connection.brandWords)),
		json: true,
		headers: JSON_TYPE,
	};
}

function toHttpOptions(request: ApiRequest, connection: Connection): IHttpRequestOptions {
	const words = connection.brandWords;
	const { headers, ...payload } = toPayload(request, connection);
	const named = Object.entries(request.headers ?? {}).map(
		([name, value]) => [toDeploymentWords(name, words), value] as const,
	);
	return {
		method: request.method,
		url: connection.baseUrl + toDeploymentWords(request.path, words),
		headers: { ...headers, ...Object.fromEntries(named) },
		...payload,
		timeout: clock.toHostMs(request.idleMs ?? request.timeoutMs ?? ATTEMPT_TIMEOUT_MS),
		// n8n's own reading of JSON rounds long ids, and has no limit of size.
		encoding: 'stream',
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		// A redirected POST may be sent twice, and a redirect could carry the key to another host.
		disableFollowRedirect: true,
	};
}

/**
 * Sends requests with the node's credential. All requests of one sender share a rate limit: when the service asks one of
 * them to wait, the others wait too.
 */
export function createSend(
	context: ServiceContext,
	connection: Connection,
	signal?: AbortSignal,
): Send {
	let quietUntil = 0;
	const { decrypted: credentialsDecrypted } = connection;

	async function attempt<Value>(
		request: ApiRequest,
		schema: ResponseSchema<Value>,
	): Promise<Value> {
		// A cancel must not abort a purchase in flight: its task would be paid for and its id lost.
		const cancel = request.retry === 'purchase' ? undefined : signal;
		const response = await withHardEnd(
			request.timeoutMs ?? ATTEMPT_TIMEOUT_MS,
			'The request timed out',
			cancel,
			async (end) => {
				const received: unknown = await context.helpers.httpRequestWithAuthentication.call(
					withSignal(context, end),
					CREDENTIAL_TYPE,
					toHttpOptions(request, connection),
					credentialsDecrypted && { credentialsDecrypted },
				);
				const { body, ...head } = fullResponse.parse(received);
				return { ...head, body: await readBody(body, end) };
			},
		);
		const answer = { ...response, body: connection.redact(response.body) };
		if (answer.statusCode < 200 || answer.statusCode > 299) {
			throw errorFromResponse(answer, clock.now(), request.notFound);
		}
		const read = schema.safeParse(answer.body);
		if (!read.success)
			throw errorInBody(answer.body) ?? unreadableResponse(answer.statusCode, answer.body);
		return read.data;
	}

	/** Waits for the end of a rate limit. Throws where that would pass the deadline. */
	async function waitForQuiet(deadline: Deadline): Promise<void> {
		while (clock.now() < quietUntil && !signal?.aborted) {
			if (quietUntil > deadlineMs(deadline))
				throw new RateLimitError('Rate limit reached', 'no', { httpStatus: 429 });
			await sleep(quietUntil - clock.now(), signal);
		}
		if (signal?.aborted) throw new CanceledError();
	}

	return async (request, schema) => {
		const deadline = request.deadline ?? clock.now() + DEFAULT_DEADLINE_MS;
		for (let attempts = 1; ; attempts++) {
			await waitForQuiet(deadline);
			try {
				return await attempt(request, schema);
			} catch (thrown) {
				const error: ApiError = errorFromThrown(thrown);
				const wait = backoffMs(error, attempts);
				if (error instanceof RateLimitError) quietUntil = Math.max(quietUntil, clock.now() + wait);
				if (!mayRetry(request.retry, error, attempts) || clock.now() + wait > deadlineMs(deadline))
					throw error;
				context.logger.debug(`MediaGen: ${error.message}. Next attempt in ${Math.round(wait)} ms`);
				await sleep(wait, signal);
			}
		}
	};
}
