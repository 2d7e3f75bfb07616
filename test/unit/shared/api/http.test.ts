import { Readable } from 'node:stream';

import type { IAdditionalCredentialOptions, IDataObject, IHttpRequestOptions } from 'n8n-workflow';

import { type Connection, readConnection } from '../../../../nodes/shared/api/connection';
import {
	type ApiError,
	asError,
	CanceledError,
	ConnectionError,
	InvalidRequestError,
	RateLimitError,
	ServerError,
	TimeoutError,
	UnreachableError,
	UnreadableResponseError,
} from '../../../../nodes/shared/api/errors';
import {
	type ApiRequest,
	backoffMs,
	createSend,
	MAX_ATTEMPTS,
	mayRetry,
	type ServiceContext,
} from '../../../../nodes/shared/api/http';
import { setClock } from '../../../../nodes/shared/util/clock';
import { fastClock, jumpingClock } from '../../../engine/support/clocks';
import { words } from '../../../support/words';
import { nodeOf } from '../../../support/node';

const errors = {
	rateLimit: new RateLimitError('x'),
	unreachable: new UnreachableError('x'),
	server: new ServerError('x', 'maybe'),
	connection: new ConnectionError('x', 'maybe'),
	timeout: new TimeoutError('x', 'maybe'),
	unreadable: new UnreadableResponseError('x', 'maybe'),
	refused: new InvalidRequestError('x'),
};

const retried = (policy: 'purchase' | 'read' | 'once', attempts = 1) =>
	Object.entries(errors).flatMap(([name, error]) =>
		mayRetry(policy, error, attempts) ? [name] : [],
	);

test('a purchase is sent again only when it was surely not accepted', () => {
	expect(retried('purchase')).toEqual(['rateLimit', 'unreachable']);
});

test('a read is sent again after everything that may pass', () => {
	expect(retried('read')).toEqual(
		words('rateLimit unreachable server connection timeout unreadable'),
	);
});

test('a caller that asks again by itself gets every error', () => {
	expect(retried('once')).toEqual([]);
});

test('attempts are counted, but for a rate limit: the deadline ends that', () => {
	expect(retried('read', MAX_ATTEMPTS - 1)).toHaveLength(6);
	expect(retried('read', MAX_ATTEMPTS)).toEqual(['rateLimit']);
	expect(retried('purchase', 1_000)).toEqual(['rateLimit']);
});

test('the wait doubles up to half a minute, with jitter, and the service can name it', () => {
	const ceilings = { 1: 1_000, 2: 2_000, 3: 4_000, 6: 30_000, 60: 30_000 };
	for (const [attempts, ceiling] of Object.entries(ceilings)) {
		const waits = Array.from({ length: 50 }, () => backoffMs(errors.server, Number(attempts)));
		expect(Math.min(...waits)).toBeGreaterThanOrEqual(ceiling / 2);
		expect(Math.max(...waits)).toBeLessThanOrEqual(ceiling);
		expect(new Set(waits).size).toBeGreaterThan(1);
	}
	expect(backoffMs(new RateLimitError('x', 'no', { retryAfterMs: 7_000 }), 1)).toBe(7_000);
});

describe('A request', () => {
	const START = jumpingClock().now();
	const node = nodeOf('Music');
	const connection = readConnection({
		baseUrl: 'https://api.example.com/base',
		apiKey: 'secret',
		brandWords: { musicgen: 'acme' },
	});
	const anything = (answer: unknown): unknown => answer;

	/** What n8n's helper was called with. */
	interface Call {
		type: string;
		options: IHttpRequestOptions;
		additional: IAdditionalCredentialOptions | undefined;
		signal: AbortSignal | undefined;
		at: number;
	}

	type Answer = { statusCode: number; headers?: object; body?: unknown } | Error;

	let calls: Call[];
	let log: string[];
	let time: ReturnType<typeof jumpingClock>;

	beforeEach(() => {
		calls = [];
		log = [];
		time = jumpingClock();
		setClock(time);
	});

	afterEach(() => setClock(undefined));

	/** The signal that n8n gives to a request, where its context has one. */
	const signalOf = (context: ServiceContext & { getExecutionCancelSignal?(): AbortSignal }) =>
		'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal?.() : undefined;

	/** An n8n whose helper gives these answers, one after the other; the last one stays. */
	function contextOf(...answers: Answer[]): ServiceContext {
		const quiet = () => {};
		return {
			getNode: () => node,
			getCredentials: async () => await Promise.resolve({}),
			logger: { debug: (message) => log.push(message), info: quiet, warn: quiet, error: quiet },
			helpers: {
				async httpRequestWithAuthentication(type, options, additional) {
					calls.push({ type, options, additional, signal: signalOf(this), at: time.now() - START });
					const answer = answers.length > 1 ? answers.shift() : answers[0];
					if (answer instanceof Error) throw answer;
					return await Promise.resolve({ headers: {}, ...answer });
				},
			},
		};
	}

	const read: ApiRequest = { method: 'GET', path: '/v1/balance', retry: 'read' };
	const purchase: ApiRequest = {
		method: 'POST',
		path: '/v1/musicgen/x',
		retry: 'purchase',
		body: { model: 'musicgen-v5', prompt: 'a musicgen song' },
	};
	const limited = (seconds?: string): Answer => ({
		statusCode: 429,
		headers: seconds === undefined ? {} : { 'retry-after': seconds },
	});
	const ok: Answer = { statusCode: 200, body: { done: true } };

	const send = async (
		request: ApiRequest,
		answers: Answer[],
		signal?: AbortSignal,
		by: Connection = connection,
	) => await createSend(contextOf(...answers), by, signal).send(request, anything);

	test("is written in the deployment's words: the path, the names of headers and the model, but not the prompt", async () => {
		const request = { ...purchase, headers: { 'musicgen-beta': 'musicgen' }, timeoutMs: 7_000 };
		expect(await send(request, [ok])).toEqual({ done: true });
		expect(calls[0]?.type).toBe('mediaGenApi');
		expect(calls[0]?.options).toEqual({
			method: 'POST',
			url: 'https://api.example.com/base/v1/acme/x',
			headers: { 'content-type': 'application/json', 'acme-beta': 'musicgen' },
			body: '{"model":"acme-v5","prompt":"a musicgen song"}',
			json: true,
			timeout: 7_000,
			encoding: 'stream',
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			disableFollowRedirect: true,
		});
	});

	test.each<[string, IDataObject]>([
		['no model', { prompt: 'musicgen' }],
		['a model that is not text', { model: 7 }],
	])('with %s goes out as it is', async (_, body) => {
		await send({ ...purchase, body }, [ok]);
		expect(calls[0]?.options.body).toBe(JSON.stringify(body));
	});

	test('without a body has a minute for its answer', async () => {
		await send(read, [ok]);
		const options = { body: undefined, headers: {}, json: true, timeout: 60_000 };
		expect(calls[0]?.options).toMatchObject(options);
	});

	test('with bytes sends them unchanged, and is not JSON', async () => {
		const body = Buffer.from('musicgen');
		await send({ ...purchase, body }, [ok]);
		expect(calls[0]?.options.body).toBe(body);
		expect(calls[0]?.options.json).toBe(false);
	});

	describe('under way', () => {
		/** A stream that tells nothing of its end: of a newer Node.js, as long as its connection has not closed. */
		const deaf = () => new Readable({ read: () => {}, destroy: () => {} });

		test('ends at its time limit also where the stream does not tell that it ended', async () => {
			const sent = send({ ...purchase, timeoutMs: 20 }, [{ statusCode: 200, body: deaf() }]);
			await expect(sent).rejects.toThrow('The request timed out');
		});

		test('of an n8n that does not give up leaves no response open', async () => {
			const body = new Readable({ read: () => {} });
			const context = contextOf(ok);
			context.helpers.httpRequestWithAuthentication = async () => {
				await new Promise((resolve) => setTimeout(resolve, 60));
				return { statusCode: 200, headers: {}, body };
			};
			const sent = createSend(context, connection).send({ ...purchase, timeoutMs: 20 }, anything);
			await expect(sent).rejects.toThrow('The request timed out');
			await new Promise((resolve) => setTimeout(resolve, 80));
			expect(body.destroyed).toBe(true);
		});
	});

	const accent = Buffer.from('{"a":"é"}');

	test.each<[string, Array<string | Buffer>, unknown]>([
		['JSON in pieces', ['{"a":', '"b"}'], { a: 'b' }],
		['JSON whose characters are cut', [accent.subarray(0, 7), accent.subarray(7)], { a: 'é' }],
		['JSON with a byte order mark', ['\ufeff{}'], {}],
		['text', ['<html>'], '<html>'],
		['nothing', [], ''],
	])('reads %s', async (_, chunks, value) => {
		expect(await send(read, [{ statusCode: 200, body: Readable.from(chunks) }])).toEqual(value);
	});

	const named = '{"id":"task-7","key":"secret","sta';

	test.each([
		['keeps what came of it: it may name what was bought', named, named.replace('secret', '•••')],
		['has nothing of it where nothing came', '', undefined],
	])('whose answer breaks off may have been bought, and %s', async (_, came, response) => {
		async function* cut() {
			yield await Promise.resolve(came);
			throw Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
		}
		const sent = send(purchase, [{ statusCode: 200, body: Readable.from(cut()) }]);
		const error = (await sent.catch(asError)) as ApiError;
		const message = 'The connection to the service was lost';
		const { details } = error;
		expect([error.message, error.sent, details.response]).toEqual([message, 'maybe', response]);
	});

	describe('whose answer is read while it comes', () => {
		const open = async (request: ApiRequest, answer: Answer) =>
			await createSend(contextOf(answer), connection).open(
				request,
				async ({ pieces }) => await Promise.resolve(pieces),
			);

		test('gives its pieces, each as soon as it is there', async () => {
			const body = new Readable({ read: () => {} });
			const pieces = await open(purchase, { statusCode: 200, body });
			body.push('first');
			expect(String((await pieces.next()).value)).toBe('first');
			body.push('last');
			body.push(null);
			expect(String((await pieces.next()).value)).toBe('last');
			expect(await pieces.next()).toEqual({ done: true, value: undefined });
		});

		test('lets go of it when nobody reads on', async () => {
			const body = new Readable({ read: () => {} });
			const pieces = await open(purchase, { statusCode: 200, body });
			body.push('first');
			await pieces.next();
			await pieces.return(undefined);
			expect(body.destroyed).toBe(true);
		});

		test('ends at a cancel that abandons it', async () => {
			const body = new Readable({ read: () => {} });
			const cancel = new AbortController();
			const request = { ...purchase, abandon: cancel.signal };
			const pieces = await open(request, { statusCode: 200, body });
			cancel.abort();
			await expect(pieces.next()).rejects.toMatchObject({
				message: 'The execution was canceled',
				sent: 'maybe',
			});
			expect(body.destroyed).toBe(true);
		});

		test('ends at its time limit also while nobody asks for the next piece', async () => {
			const body = new Readable({ read: () => {} });
			const pieces = await open({ ...purchase, timeoutMs: 50 }, { statusCode: 200, body });
			body.push('first');
			await pieces.next();
			const timedOut = { message: 'The request timed out', sent: 'maybe' };
			const reason = await new Promise((ended) => body.once('error', ended));
			expect(reason).toMatchObject(timedOut);
			await expect(pieces.next()).rejects.toMatchObject(timedOut);
			expect(body.destroyed).toBe(true);
		});

		test('is an error with a status that is none of success', async () => {
			const answer = { statusCode: 400, body: { error: { message: 'secret is bad' } } };
			await expect(open(purchase, answer)).rejects.toThrow('Bad request: ••• is bad');
		});
	});

	describe('whose answer is large', () => {
		const megabytes = (count: number, last = '') =>
			Readable.from([
				...Array<Buffer>(count).fill(Buffer.alloc(1_000_000, ' ')),
				Buffer.from(last),
			]);

		test.each([
			[0, 'text'],
			[1, 'an error'],
		])('%d bytes above that is %s', async (more, outcome) => {
			const sent = send(read, [{ statusCode: 200, body: megabytes(64, ' '.repeat(more)) }]);
			expect(
				await sent.then(
					(text) => typeof text === 'string' && 'text',
					() => 'an error',
				),
			).toBe(outcome);
		});

		test.each([purchase, read])('is dropped above that, and not sent again', async (request) => {
			const body = megabytes(400);
			const sent = send(request, [{ statusCode: 200, body }]);
			await expect(sent).rejects.toMatchObject({
				message: 'The response has more than 64 MB of text',
				sent: 'maybe',
			});
			expect(calls).toHaveLength(1);
			expect(body.destroyed).toBe(true);
		});
	});

	test('brings the credential that was read before, so that n8n does not read it again', async () => {
		const decrypted = { id: '7', name: 'Ours', type: 'mediaGenApi', data: {} };
		await send(read, [ok], undefined, { ...connection, decrypted });
		await send(read, [ok]);
		expect(calls.map(({ additional }) => additional)).toStrictEqual([
			{ credentialsDecrypted: decrypted },
			undefined,
		]);
	});

	test.each([
		[200, true],
		[299, true],
		[199, false],
		[300, false],
	])('whose answer has the status %d is read: %p', async (statusCode, isRead) => {
		const answer = await send({ ...read, retry: 'once' }, [{ statusCode, body: 'text' }]).catch(
			() => 'an error',
		);
		expect(answer).toBe(isRead ? 'text' : 'an error');
	});

	test('whose answer has another shape may have been bought', async () => {
		const sent = createSend(contextOf(ok), connection).send(purchase, () => undefined);
		await expect(sent).rejects.toMatchObject({
			message: 'The response could not be read (HTTP 200): {"done":true}',
			sent: 'maybe',
		});
		expect(calls).toHaveLength(1);
	});

	test('that only reads has five attempts, each later than the one before', async () => {
		await expect(send(read, [{ statusCode: 500 }])).rejects.toThrow('Server error (HTTP 500)');
		expect(calls).toHaveLength(5);
		const waits = calls.slice(1).map(({ at }, before) => at - (calls[before]?.at ?? 0));
		for (const [at, wait] of waits.entries()) expect(wait).toBeGreaterThanOrEqual(500 * 2 ** at);
		expect(log[0]).toMatch(/^MediaGen: Server error \(HTTP 500\)\. Next attempt in \d+ ms$/);
		expect(log).toHaveLength(4);
	});

	test('waits as long as the service asks, and within three minutes', async () => {
		expect(await send(purchase, [limited('170'), ok])).toEqual({ done: true });
		expect(calls[1]?.at).toBe(170_000);
		await expect(send(purchase, [limited('181'), ok])).rejects.toThrow('Rate limit reached');
		expect(calls).toHaveLength(3);
	});

	test('is not sent again when that would be after the deadline of its caller, and is when it is right at it', async () => {
		const by = async (deadline: number) =>
			await send({ ...purchase, deadline: START + deadline }, [limited('5'), ok]);
		await expect(by(4_999)).rejects.toThrow('Rate limit reached');
		expect(calls).toHaveLength(1);
		expect(await by(5_000)).toEqual({ done: true });
	});

	test('waits longer and longer for a limit that lets nothing through', async () => {
		await send(purchase, [...Array<Answer>(5).fill(limited()), ok]);
		expect(calls.at(-1)?.at).toBeGreaterThanOrEqual(15_500);
	});

	describe('beside others', () => {
		/** Sends a purchase that meets a rate limit of so many seconds: others come while it waits. */
		const besideLimited = async (seconds: string) => {
			const { send: both } = createSend(contextOf(limited(seconds), ok), connection);
			const first = both(purchase, anything);
			await new Promise((resolve) => setImmediate(resolve));
			return { both, first };
		};

		test('waits for the longest of their rate limits', async () => {
			const { send: both } = createSend(contextOf(limited('20'), limited('5'), ok), connection);
			await Promise.all([both(purchase, anything), both(read, anything)]);
			expect(calls.map(({ at }) => at)).toStrictEqual([0, 0, 20_000, 20_000]);
		});

		test('of one request a second delays them by little more', async () => {
			const fast = fastClock(20);
			setClock(fast);
			let free = 0;
			const context = contextOf(ok);
			context.helpers.httpRequestWithAuthentication = async () => {
				const answer = fast.now() < free ? limited() : ok;
				if (answer === ok) free = fast.now() + 1_000;
				await fast.sleep(300);
				return { headers: {}, ...answer };
			};
			const { send: all } = createSend(context, connection);
			const began = fast.now();
			await Promise.all(Array.from({ length: 10 }, async () => await all(purchase, anything)));
			expect(fast.now() - began).toBeLessThan(40_000);
		});

		test('that reads waits for half a minute of it at most: what was bought is waited for', async () => {
			const { both, first } = await besideLimited('100');
			await Promise.all([both(read, anything), both(purchase, anything), first]);
			const sent = calls.map(({ options, at }) => `${options.method} ${Math.floor(at / 1_000)} s`);
			expect(sent).toStrictEqual(['POST 0 s', 'GET 30 s', 'POST 100 s', 'POST 100 s']);
		});

		test('of a caller that asks again by itself has its last try at its deadline', async () => {
			const { both, first } = await besideLimited('20');
			await both({ ...read, retry: 'once', deadline: () => START + 10_000 }, anything);
			expect(calls.map(({ at }) => Math.floor(at / 1_000))).toStrictEqual([0, 10]);
			await first;
		});

		test('is sent when their rate limit ends right at its deadline', async () => {
			const { both, first } = await besideLimited('20');
			const inTime = { ...purchase, deadline: START + 20_000 };
			expect(await both(inTime, anything)).toEqual({ done: true });
			await first;
		});

		test('gives up at once when their rate limit ends after its deadline: it was surely not bought', async () => {
			const { both, first } = await besideLimited('20');
			const late = both({ ...purchase, deadline: START + 19_999 }, anything);
			await expect(late).rejects.toMatchObject({
				message: 'Rate limit reached',
				sent: 'no',
				details: { httpStatus: 429 },
			});
			await expect(late).rejects.toBeInstanceOf(RateLimitError);
			await first;
			expect(calls).toHaveLength(2);
		});
	});

	test('is not sent after a cancel, and not repeated', async () => {
		const cancel = new AbortController();
		cancel.abort();
		await expect(send(purchase, [ok], cancel.signal)).rejects.toBeInstanceOf(CanceledError);
		expect(calls).toEqual([]);
		const later = new AbortController();
		const waiting = send(purchase, [limited('100'), ok], later.signal);
		await new Promise((resolve) => setImmediate(resolve));
		later.abort();
		await expect(waiting).rejects.toMatchObject({
			message: 'The execution was canceled',
			sent: 'no',
		});
		expect(calls).toHaveLength(1);
		expect(time.now() - START).toBeLessThan(100_000);
	});
});
