import type { IBinaryData, IHttpRequestOptions, INode } from 'n8n-workflow';

import { isPrivateHost } from '../api/address';
import type { Connection } from '../api/connection';
import { isMasked } from '../api/redact';
import {
	type ApiError,
	BlockedAddressError,
	CanceledError,
	ConnectionError,
	connectionLost,
	errorFromResponse,
	errorFromThrown,
	asError,
	NotFoundError,
	RateLimitError,
	storageError,
	TimeoutError,
	UnknownStorageError,
	UnreadableResponseError,
} from '../api/errors';
import {
	ATTEMPT_TIMEOUT_MS,
	backoffMs,
	type ByteStream,
	isSuccess,
	mayRetry,
	MEGABYTE,
	READS_HELD_UP_MS,
	type StreamResponse,
	streamResponse,
	withHardEnd,
} from '../api/http';
import { clock, sleep, within } from '../util/clock';
import { parseWebUrl } from '../util/schema';
import { isData, linkedType, toMimeType, withExtension } from './fileNames';
import { isTextLink, type ResultFile } from './resultFiles';

export interface DownloadContext {
	helpers: {
		httpRequest(options: IHttpRequestOptions): Promise<unknown>;
		prepareBinaryData(
			content: Buffer | NodeJS.ReadableStream,
			fileName?: string,
			mimeType?: string,
		): Promise<IBinaryData>;
	};
	getNode(): INode;
}

const MAX_REDIRECTS = 5;
const IDLE_TIMEOUT_MS = 60_000;

/** Milliseconds for a file to come completely, also if its task ended just before the deadline: it was paid for. */
const FILE_WITHIN_MS = 600_000;

function blocked(reason: string): BlockedAddressError {
	return new BlockedAddressError(`The file was not downloaded: ${reason}`);
}

const tooLarge = (maxMegabytes: number) =>
	blocked(`it is larger than the ${maxMegabytes} MB that "Max Download Size" allows`);

/** Checks an address before anything is sent to it. Throws a `BlockedAddressError` for a private one. */
export function checkAddress(address: string, connection: Connection): URL {
	const url = parseWebUrl(address);
	if (!url) throw blocked('the link is not a full http or https URL');
	const isService = url.host === parseWebUrl(connection.baseUrl)?.host;
	if (isPrivateHost(url) && !isService && !connection.allowPrivateCallbacks) {
		throw blocked(
			`the link leads to the private host ${url.hostname}, which "Allow Private Callbacks" in the credential would allow`,
		);
	}
	return url;
}

/** A link as the service gave it, with the key in place of its mask. The key goes to the service only. */
function withKey({ href, origin }: URL, connection: Connection): string {
	if (!isMasked(href)) return href;
	if (origin === parseWebUrl(connection.baseUrl)?.origin) return connection.reveal(href);
	throw blocked('the link sends the API key elsewhere');
}

async function request(
	context: DownloadContext,
	url: string,
	signal?: AbortSignal,
): Promise<StreamResponse> {
	try {
		const response = await context.helpers.httpRequest({
			method: 'GET',
			url,
			encoding: 'stream',
			// The end of a compressed file that was cut off cannot be told from the end of a whole one.
			headers: { 'accept-encoding': 'identity' },
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			disableFollowRedirect: true,
			abortSignal: signal,
			timeout: clock.toHostMs(ATTEMPT_TIMEOUT_MS),
		});
		return streamResponse.parse(response);
	} catch (thrown) {
		const error = errorFromThrown(thrown);
		error.message = error.message.replace(/^The service could/, 'The host of the link could');
		throw error;
	}
}

/** Opens a file for reading, following redirects. Throws an `ApiError`. */
export async function openFile(
	context: DownloadContext,
	address: string,
	connection: Connection,
	signal?: AbortSignal,
): Promise<StreamResponse> {
	let url = checkAddress(address, connection);
	for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
		const response = await request(context, withKey(url, connection), signal);
		if (isSuccess(response)) return response;
		response.body.destroy();
		const { statusCode, headers } = response;
		const { location: given } = headers;
		if (statusCode < 300 || statusCode > 399 || typeof given !== 'string')
			throw linkError(statusCode, headers);
		const location = connection.redactText(given);
		// Each hop is checked by itself: a public link must not lead into the private network, nor take the key elsewhere.
		const next = URL.canParse(location, url) ? new URL(location, url).href : location;
		url = checkAddress(next, connection);
	}
	throw blocked(`the link redirects more than ${MAX_REDIRECTS} times`);
}

/** The error for the status of a link. What a 4xx says of a request, such as its key or its fields, does not hold for a link. */
function linkError(statusCode: number, headers: Record<string, unknown>): ApiError {
	const error = errorFromResponse({ statusCode, headers }, clock.now(), 'File not found');
	const isLasting = !error.transient && !(error instanceof NotFoundError);
	if (isLasting) error.message = `The link does not work (HTTP ${statusCode})`;
	return error;
}

/** An answer that has a success status but is not a file. A moment later it may be one. */
function noFile(reason: string): UnreadableResponseError {
	return new UnreadableResponseError(`The link did not give a file: ${reason}`);
}

/** `bytes 0-499/1000` */
function isWhole(range: unknown): boolean {
	const [, first, last, size] =
		/^\s*bytes\s+(\d+)-(\d+)\/(\d+)\s*$/i.exec(typeof range === 'string' ? range : '') ?? [];
	return first !== undefined && Number(first) === 0 && Number(last) + 1 === Number(size);
}

/** Ends the response, and throws, if its status shows that it cannot be a whole file. */
export function checkStatus({ statusCode, headers, body }: StreamResponse): void {
	const refuse = (reason: string) => {
		body.destroy();
		throw noFile(reason);
	};
	if (statusCode === 202) refuse('it is not there yet (HTTP 202)');
	if (statusCode === 204 || statusCode === 205) refuse(`the answer is empty (HTTP ${statusCode})`);
	if (statusCode === 206 && !isWhole(headers['content-range']))
		refuse('only a part of it came (HTTP 206)');
}

/** A server that does not know a file's type may deliver it under these, and one that refuses may give its reason under them. */
const TEXT_TYPES = new Set([
	...['text/plain', 'text/xml', 'application/xml', 'text/html', 'application/xhtml+xml'],
	...['application/json', 'application/problem+json'],
]);

/** The beginning of a page, or of a message, whatever its content type: no picture, sound or clip begins like this. */
const PAGE = /^[\s\ufeff]*<(?:!doctype\s+html|html|head|body)\b/i;
const MESSAGE = /^[\s\ufeff]*(?:(?:<\?xml[^>]*>\s*)?<error\b|\{\s*")/i;
const MESSAGE_OF_TEXT =
	/^[\s\ufeff]*(?:(?:<\?xml[^>]*>\s*)?<error\b|\{\s*"(?:error|detail|message|code)")/i;

/** Number of characters in which a page, or a text, shows what it is. */
const BEGINS_WITHIN = 200;

/** Whether a beginning has none of the bytes with which every picture, sound and clip begins. The text may have any encoding. */
const isText = (beginning: string) => !/\p{Cc}/u.test(beginning.replace(/\s/g, ''));

/** Whether this is the error with which Node.js ends a stream after its reader has gone away, such as a storage that is full. */
const isLeft = (error: unknown) => errorFromThrown(error) instanceof CanceledError;

/**
 * Counts what the reader of a stream takes, and breaks it off when it passes `maxMegabytes`, or when nothing comes for a minute. Until its
 * reader comes it is left as it is: a listener would start it and lose bytes, and only n8n's storage on disk starts a paused stream.
 */
function watch(body: ByteStream, maxMegabytes: number, mayBeText: boolean, signal?: AbortSignal) {
	const done = new AbortController();
	let lastAt = clock.now();
	let ended = false;
	let fail: (error: unknown) => void = () => undefined;
	const stop = (error: ApiError) => {
		// At once: in a newer Node.js, the stream reports its end only when its connection has closed.
		fail(error);
		body.destroy(error);
	};
	// Rejects when the stream breaks off before its end, and never resolves: some of n8n's readers would wait without end.
	const brokenOff = new Promise<never>((_, reject) => {
		fail = (error) => reject(asError(error));
		body.on('error', (error) => fail(isLeft(error) && !signal?.aborted ? connectionLost() : error));
		body.on('end', () => (ended = true));
		body.on('close', () => ended || fail(connectionLost()));
		// A stream that broke off before this point does not say so again.
		if (body.destroyed) fail(connectionLost());
	});
	// Whoever stores the stream may have ended first.
	brokenOff.catch(() => undefined);

	const watched = { bytes: 0, beginning: '', brokenOff, endIdleCheck: () => done.abort() };
	// A character may be cut between two chunks.
	const begun: Uint8Array[] = [];
	const count = (chunk: Uint8Array) => {
		if (watched.bytes < BEGINS_WITHIN) {
			begun.push(Buffer.from(chunk));
			watched.beginning = Buffer.concat(begun).toString('utf8', 0, BEGINS_WITHIN);
			const message = mayBeText ? MESSAGE_OF_TEXT : MESSAGE;
			if (PAGE.test(watched.beginning) || message.test(watched.beginning))
				stop(noFile('it is a page or a message'));
		}
		watched.bytes += chunk.length;
		lastAt = clock.now();
		if (watched.bytes > maxMegabytes * MEGABYTE) stop(tooLarge(maxMegabytes));
	};
	const countFrom = (event: string | symbol) => {
		if (event !== 'data' && event !== 'readable') return;
		body.off('newListener', countFrom);
		body.on('data', count);
	};
	body.on('newListener', countFrom);

	const watchIdle = async () => {
		while (!done.signal.aborted) {
			await sleep(Math.max(0, lastAt + IDLE_TIMEOUT_MS - clock.now()), done.signal);
			if (done.signal.aborted) return;
			if (signal?.aborted) return stop(new CanceledError());
			if (clock.now() >= lastAt + IDLE_TIMEOUT_MS)
				return stop(new TimeoutError('The download stopped: no data for 60 seconds'));
		}
	};
	void watchIdle();
	return watched;
}

export interface Downloads {
	context: DownloadContext;
	connection: Connection;
	/** Megabytes of one file. */
	maxDownloadSize: number;
	/** Milliseconds since 1970 after which no attempt begins if the server asks to wait; otherwise, they go on for at least ten minutes. */
	deadline: number;
	/** Milliseconds since 1970 at which every attempt ends, if n8n goes on without the files after that. */
	end?: number;
	/** Hosts that answered no attempt, such as behind a firewall: their other files get one attempt only, or a run would wait for hours. */
	silentHosts: Set<string>;
	signal?: AbortSignal;
}

/**
 * Streams a result file into n8n's binary storage, under `name` with its extension. Throws an `ApiError` when the link is blocked or dead, the
 * file is too large, or every attempt broke off.
 */
export async function downloadFile(downloads: Downloads, file: ResultFile, name: string) {
	const { deadline, end = Infinity, silentHosts, signal } = downloads;
	const host = parseWebUrl(file.url)?.host ?? '';
	const alwaysUntil = clock.now() + FILE_WITHIN_MS;
	let isSilent = true;
	const onAnswer = () => {
		isSilent = false;
		silentHosts.delete(host);
	};
	const work = async (ended: AbortSignal) =>
		await attempt({ ...downloads, signal: ended }, file, name, onAnswer);
	for (let attempts = 1; ; attempts++) {
		try {
			const ms = Math.min(Math.max(FILE_WITHIN_MS, deadline - clock.now()), end - clock.now());
			return await withHardEnd(ms, 'The download took too long', signal, work);
		} catch (thrown) {
			const error = errorFromThrown(thrown);
			// A file that was paid for is waited for, as its task was.
			const wait = Math.min(backoffMs(error, attempts), READS_HELD_UP_MS);
			const isAsked = error.details.retryAfterMs !== undefined || error instanceof RateLimitError;
			const until = Math.min(isAsked ? deadline : Math.max(deadline, alwaysUntil), end);
			const isTimeout = error instanceof TimeoutError;
			const mayCome = mayRetry('read', error, attempts) && !(isTimeout && silentHosts.has(host));
			if (!mayCome || clock.now() + wait > until || signal?.aborted) {
				if (isTimeout && isSilent) silentHosts.add(host);
				throw error;
			}
			await sleep(wait, signal);
		}
	}
}

export type DownloadedFile = Awaited<ReturnType<typeof downloadFile>>;

/** One attempt. `fileSize` is in bytes. */
async function attempt(downloads: Downloads, file: ResultFile, name: string, onAnswer: () => void) {
	const { context, connection, maxDownloadSize, signal } = downloads;
	const { url } = file;
	if (isData(url)) return await storeData(downloads, url, name);
	const response = await openFile(context, url, connection, signal);
	onAnswer();
	const { body, headers } = response;
	const mimeType = linkedType(headers['content-type'], url, name);
	checkStatus(response);
	if (Number(headers['content-length'] ?? 0) > maxDownloadSize * MEGABYTE) {
		body.destroy();
		throw tooLarge(maxDownloadSize);
	}
	const fileName = withExtension(name, mimeType, url);
	const mayBeText = isTextLink(file);
	const watched = watch(body, maxDownloadSize, mayBeText, signal);
	try {
		const binary = await store(context, body, fileName, mimeType, [watched.brokenOff]);
		if (watched.bytes === 0) throw noFile('it is empty');
		const isTextType = mimeType !== undefined && TEXT_TYPES.has(mimeType);
		if (isTextType && (!mayBeText || /html/.test(mimeType)) && isText(watched.beginning))
			throw noFile(`the content type is ${mimeType}`);
		const type = mimeType ?? binary.mimeType ?? null;
		return { binary, fileName, mimeType: type, fileSize: watched.bytes };
	} finally {
		watched.endIdleCheck();
	}
}

/** Milliseconds in which a storage that closed a stream says why. Some of n8n's storages do not report a lost stream. */
const REASON_WITHIN_MS = 1_000;

/**
 * Puts a file into n8n's binary storage. Throws a `StorageError` where that does not take it. `brokenOff` rejects when a stream breaks off: the
 * storage then has an error of its own, or takes what came for the whole file.
 */
async function store(
	{ helpers }: DownloadContext,
	content: Buffer | ByteStream,
	fileName: string,
	mimeType: string | undefined,
	brokenOff: ReadonlyArray<Promise<never>> = [],
): Promise<IBinaryData> {
	const stored = helpers.prepareBinaryData(content, fileName, mimeType);
	const taken = stored.catch((error: unknown) => {
		throw storageError(error) ?? new UnknownStorageError(asError(error).message);
	});
	try {
		return await Promise.race([...brokenOff, taken]);
	} catch (error) {
		if (!(errorFromThrown(error) instanceof ConnectionError)) throw asError(error);
		// A storage that takes no more closes the stream, which looks like a lost connection.
		const refused = await within(
			REASON_WITHIN_MS,
			stored.then(() => undefined, storageError),
		);
		throw refused ?? asError(error);
	}
}

/** The bytes of the text of a data URL. A percent sign that begins no code stands for itself, as in browsers. */
function percentDecoded(text: string): Buffer {
	const bytes = Buffer.from(text).toString('latin1');
	return Buffer.from(
		bytes.replace(/%[\da-f]{2}/gi, (code) => String.fromCharCode(parseInt(code.slice(1), 16))),
		'latin1',
	);
}

async function storeData({ context, maxDownloadSize }: Downloads, url: string, name: string) {
	const comma = url.indexOf(',');
	const [type = '', ...parameters] = url.slice('data:'.length, comma).split(';');
	const isBase64 = parameters.some((parameter) => parameter.trim().toLowerCase() === 'base64');
	const bytes = percentDecoded(url.slice(comma + 1));
	const content = isBase64 ? Buffer.from(bytes.toString('latin1'), 'base64') : bytes;
	if (content.length > maxDownloadSize * MEGABYTE) throw tooLarge(maxDownloadSize);
	if (content.length === 0) throw noFile('it is empty');
	const mimeType = toMimeType(type);
	const fileName = withExtension(name, mimeType, url);
	const binary = await store(context, content, fileName, mimeType);
	return { binary, fileName, mimeType: mimeType ?? null, fileSize: content.length };
}
