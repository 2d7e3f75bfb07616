import {
	answerInWords,
	asError,
	CanceledError,
	ConnectionError,
	errorFromResponse,
	errorFromThrown,
	errorInBody,
	InsufficientBalanceError,
	NotFoundError,
	parseRetryAfter,
	RateLimitError,
	ServerError,
	storageError,
	TimeoutError,
	toShortText,
	UnknownStorageError,
	UnreachableError,
	unreadableResponse,
} from '../../../../nodes/shared/api/errors';
import { words } from '../../../support/words';

const NOW = Date.UTC(2026, 0, 1);

const thrown = (message: string, fields: object) =>
	errorFromThrown(Object.assign(new Error(message), fields));

/** A code under as many causes. */
const below = (levels: number): object =>
	levels === 0 ? { code: 'ENOTFOUND' } : { cause: below(levels - 1) };

test.each<[string, unknown, number | undefined]>([
	['seconds', '20', 20_000],
	['part of a second', '0.7', 700],
	['a date', new Date(NOW + 5_000).toUTCString(), 5_000],
	['zero', '0', 500],
	['a negative number', '-3', 500],
	['a past date', new Date(NOW - 60_000).toUTCString(), 500],
	['1e308', '1e308', undefined],
	['Infinity', 'Infinity', undefined],
	['a day', '86400', 86_400_000],
	['a second more', '86401', undefined],
	['two days', '172800', undefined],
	['blanks', '  ', undefined],
	['words', 'soon', undefined],
	['nothing', '', undefined],
	['no header', undefined, undefined],
	['a list', ['1', '2'], undefined],
])('Retry-After: %s', (_, header, ms) => {
	expect(parseRetryAfter(header, NOW)).toBe(ms);
});

describe('A request that never left is known as such', () => {
	const CODES = words(`
		ECONNREFUSED ENOTFOUND EAI_AGAIN EHOSTUNREACH CERT_HAS_EXPIRED DEPTH_ZERO_SELF_SIGNED_CERT
		SELF_SIGNED_CERT_IN_CHAIN UNABLE_TO_VERIFY_LEAF_SIGNATURE ERR_TLS_CERT_ALTNAME_INVALID
		ERR_INVALID_CHAR ENETUNREACH EHOSTDOWN ERR_HTTP_INVALID_HEADER_VALUE ERR_INVALID_URL
		HOSTNAME_MISMATCH INVALID_CA
	`);

	test.each(CODES)('%s', (code) => {
		const error = thrown('failed', { code });
		expect(error).toBeInstanceOf(UnreachableError);
		expect(error).toMatchObject({ sent: 'no', transient: true });
	});

	test('the code stands in a cause, as n8n gives it', () => {
		const cause = Object.assign(new Error('certificate has expired'), { code: 'CERT_HAS_EXPIRED' });
		const message = 'The service could not be reached: CERT_HAS_EXPIRED';
		expect(thrown('It could not be called', { cause })).toMatchObject({ sent: 'no', message });
	});

	test.each<[string, object]>([
		['the code that n8n keeps of its HTTP client', { httpCode: 'ENOTFOUND' }],
		['a cause 19 levels down', below(19)],
		[
			'that of one address of the host, which n8n 1.123 does not show',
			{ code: 'ETIMEDOUT', cause: { errors: [new Error(''), { code: 'ENETUNREACH' }] } },
		],
		[
			'what the system says of each address',
			{ code: 'ETIMEDOUT', cause: { errors: [{ message: 'connect ETIMEDOUT 192.0.2.1:443' }] } },
		],
		['beside a code of another kind', { code: 7, httpCode: 'ENOTFOUND' }],
	])('%s tells it too', (_, fields) => {
		const message = 'The service could not be reached';
		expect(thrown('failed', fields)).toMatchObject({ sent: 'no', message });
	});

	test.each([
		'write EPROTO 140:error:0A00010B:SSL routines:ssl3_get_record:wrong version number',
		'write EPROTO 140:error:0A000410:SSL routines:ssl3_read_bytes:sslv3 alert handshake failure',
		'write EPROTO 140:error:0A000102:SSL routines:ssl_choose_client_version:unsupported protocol',
	])('a TLS handshake that failed: %s', (message) => {
		const error = thrown(message, { code: 'EPROTO' });
		expect([error.sent, error instanceof UnreachableError]).toEqual(['no', true]);
		expect(error.message).toBe(
			'The service could not be reached: no TLS connection could be made. A service on a private host may need http://',
		);
	});

	test.each([
		['EPROTO', 'read EPROTO bad record mac'],
		['ERR_SSL_BAD_RECORD_TYPE', 'error:0A0001BB:SSL routines::bad record type'],
		['ERR_SSL_WRONG_VERSION_NUMBER', 'error:0A00010B:SSL routines::wrong version number'],
		['ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC', 'decryption failed or bad record mac'],
		['EHOSTUNREACH', 'read EHOSTUNREACH'],
		['ENETUNREACH', 'write ENETUNREACH'],
	])('%s on a connection that was made does not count', (code, message) => {
		expect(thrown(message, { code })).toMatchObject({ sent: 'maybe' });
	});

	test('a TLS connection that was closed before it was made', () => {
		const message =
			'Client network socket disconnected before secure TLS connection was established';
		const error = thrown(message, { code: 'ECONNRESET' });
		expect([error.sent, error instanceof UnreachableError]).toEqual(['no', true]);
	});

	test.each([
		'The request was blocked because it resolves to a restricted IP address',
		'The request was blocked because the destination hostname is restricted',
	])('%s: n8n names what allows the address, and a bought task is still waited for', (message) => {
		expect(thrown(message, {})).toMatchObject({
			sent: 'no',
			transient: true,
			message:
				"n8n's SSRF protection refuses the address: allow it with N8N_SSRF_ALLOWED_HOSTNAMES or N8N_SSRF_ALLOWED_IP_RANGES",
		});
	});

	test.each([
		['ETIMEDOUT', 'connect ETIMEDOUT 10.0.0.1:443'],
		['EADDRNOTAVAIL', 'connect EADDRNOTAVAIL ::1:443 - Local (:::0)'],
		['EACCES', 'connect EACCES 10.0.0.1:443'],
		['EAFNOSUPPORT', 'connect EAFNOSUPPORT 2001:db8::1:443'],
		['EAI_FAIL', 'getaddrinfo EAI_FAIL api.example.com'],
	])('%s of a connection that was not made: %s', (code, message) => {
		const error = thrown(message, { code });
		expect(error).toMatchObject({ sent: 'no', message: 'The service could not be reached' });
	});
});

test.each<[string, unknown]>([
	['a code in the middle of another', { code: 'MY_CERT_STORE' }],
	['a cause 20 levels down', below(20)],
	['a handshake in words alone', { code: 'ECONNRESET', message: 'handshake failure' }],
	['a time limit to connect in words alone', { code: 'EPIPE', message: 'connect ETIMEDOUT' }],
	['text', 'ENOTFOUND'],
	[
		'codes of nothing',
		{ code: null, httpCode: 7, message: null, messages: 'handshake failure', cause: 'ENOTFOUND' },
	],
	['nothing', undefined],
])('it is unknown what became of a request that ended with %s', (_, reason) => {
	const error = errorFromThrown(reason);
	expect(error).toBeInstanceOf(ConnectionError);
	const message = 'The connection to the service was lost';
	expect(error).toMatchObject({ sent: 'maybe', message });
});

const CANCELED = ['ERR_CANCELED', 'ABORT_ERR'];

test.each(CANCELED)('a request that was canceled (%s) may have arrived', (code) => {
	const error = thrown('canceled', { code });
	expect(error).toBeInstanceOf(CanceledError);
	// With this spelling n8n tells a canceled execution from a failed one.
	const message = 'The execution was canceled';
	expect(error).toMatchObject({ sent: 'maybe', message, transient: false });
});

const TIMED_OUT = ['timeout of 300ms exceeded', 'timeout of 60000 ms exceeded'];

test.each(TIMED_OUT)('a time limit that the HTTP client tells in words: %s', (told) => {
	const message = 'The request timed out';
	expect(errorFromThrown(new Error(told))).toMatchObject({ sent: 'maybe', message });
});

test('an error of the nodes stays what it is', () => {
	const error = new ServerError('x', 'no');
	expect(errorFromThrown(error)).toBe(error);
});

test('whatever was thrown can be shown', () => {
	const error = new Error('x');
	expect(asError(error)).toBe(error);
	expect(asError('words').message).toBe('words');
	expect(errorFromThrown(new Error('x')).name).toBe('ConnectionError');
});

test.each([
	['ECONNRESET', 'socket hang up', ConnectionError],
	['EPIPE', 'write EPIPE', ConnectionError],
	['ECONNABORTED', 'timeout of 60000ms exceeded', TimeoutError],
	['ECONNABORTED', 'Request aborted', TimeoutError],
	['ETIMEDOUT', 'read ETIMEDOUT', TimeoutError],
	[undefined, 'something else', ConnectionError],
])('a request that broke with %s may have been accepted', (code, message, ErrorClass) => {
	const error = thrown(message, { code });
	expect(error).toBeInstanceOf(ErrorClass);
	expect(error).toMatchObject({ sent: 'maybe', transient: true });
});

describe('A response with an error', () => {
	const errorOf = (statusCode: number, body: unknown, headers = {}) =>
		errorFromResponse({ statusCode, headers, body }, NOW, 'Task not found');

	test('has message, type and code of the service', () => {
		const told = { type: 'insufficient_quota', code: 'quota' };
		const error = errorOf(402, { error: { message: 'Top up', ...told } });
		expect(error).toBeInstanceOf(InsufficientBalanceError);
		const details = { ...told, httpStatus: 402, fromService: true };
		expect(error).toMatchObject({ message: 'Insufficient balance: Top up', details });
	});

	test("a 404 is the service's own only with its envelope", () => {
		const page = errorOf(404, '<html>Not found</html>');
		expect([page.message, page.details.fromService]).toEqual(['Task not found', false]);
		expect(errorOf(404, { error: { message: 'No such task' } }).details.fromService).toBe(true);
		expect(errorOf(404, {})).toBeInstanceOf(NotFoundError);
		expect(errorOf(404, { message: 'no Route matched' }).details.fromService).toBe(false);
	});

	test.each<[string, unknown, string]>([
		['text', { error: 'Too loud' }, 'Bad request: Too loud'],
		['a number', { error: { message: 7 } }, 'Bad request: 7'],
		['an empty text', { error: { message: '' } }, 'Bad request'],
		['an object', { error: { message: {} } }, 'Bad request'],
		['no text', { error: null, message: 'Too loud' }, 'Bad request: Too loud'],
		['a page', '<html></html>', 'Bad request'],
		['a sentence', ' Too\nloud ', 'Bad request: Too loud'],
		['a table of the specification', { code: 4, description: 'Too loud' }, 'Bad request: Too loud'],
		['a list of fields', { detail: [{ loc: ['n'], msg: 'Too loud' }] }, 'Bad request: Too loud'],
		['a list of errors', { errors: [{ message: 'Too loud' }] }, 'Bad request: Too loud'],
		['an envelope twice', { error: { error: { message: 'Too loud' } } }, 'Bad request: Too loud'],
		['a list of texts', { message: ['Too loud', 'Too long'] }, 'Bad request: Too loud'],
		['nothing', undefined, 'Bad request'],
	])('whose message is %s', (_, body, message) => {
		expect(errorOf(400, body).message).toBe(message);
	});

	test.each([
		[301, 'The response could not be read (HTTP 301)', Error, 'maybe', true],
		[308, 'The response could not be read (HTTP 308)', Error, 'no', true],
		[302, 'The response could not be read (HTTP 302)', Error, 'maybe', true],
		[399, 'The response could not be read (HTTP 399)', Error, 'maybe', true],
		[400, 'Bad request', Error, 'no', false],
		[401, 'Authentication failed', Error, 'no', false],
		[402, 'Insufficient balance', InsufficientBalanceError, 'no', false],
		[403, 'Permission denied', Error, 'no', false],
		[404, 'Task not found', NotFoundError, 'no', false],
		[408, 'The request timed out', TimeoutError, 'maybe', true],
		[413, 'Too large for the service', Error, 'no', false],
		[418, 'Bad request', Error, 'no', false],
		[425, 'Server error (HTTP 425)', ServerError, 'no', true],
		[429, 'Rate limit reached', RateLimitError, 'no', true],
		[499, 'Bad request', Error, 'no', false],
		[500, 'Server error (HTTP 500)', ServerError, 'maybe', true],
		[502, 'Bad gateway (HTTP 502)', ServerError, 'maybe', true],
		[503, 'Server error (HTTP 503)', ServerError, 'maybe', true],
	])(
		'%d has the words that people search for, and tells whether it bought something and may pass: %s',
		(status, message, ErrorClass, sent, transient) => {
			const error = errorOf(status, {});
			expect(error).toBeInstanceOf(ErrorClass);
			expect(error).toMatchObject({ message, sent, transient });
		},
	);

	test('a 404 of anything else is "Not found"', () => {
		expect(errorFromResponse({ statusCode: 404, headers: {} }, NOW).message).toBe('Not found');
	});

	const task = { task_id: 'task_1' };

	test.each<[string, number, unknown, string | undefined]>([
		['the body of a fault may name what was bought', 502, task, '{"task_id":"task_1"}'],
		['that of a timeout too', 408, task, '{"task_id":"task_1"}'],
		['that of a refusal names nothing', 400, task, undefined],
		['the page of a proxy names nothing', 502, '<html>Bad gateway</html>', undefined],
		['an empty body names nothing', 502, {}, undefined],
	])('%s', (_, status, body, response) => {
		expect(errorOf(status, body).details.response).toBe(response);
	});

	test('and HTTP 200 is one whose cost is unknown', () => {
		expect(
			errorInBody({ error: { message: 'Overloaded', type: 'overloaded', code: 9 } }),
		).toMatchObject({
			message: 'The service answered with an error: Overloaded',
			sent: 'maybe',
			details: { type: 'overloaded', code: '9', fromService: true },
		});
		expect(errorInBody({ error: 'Overloaded' })).toBeInstanceOf(ServerError);
		expect(errorInBody({ error: 'Not Found' })).toBeInstanceOf(ServerError);
		const none = [null, {}, '', ' ', 0].map((error) => ({ error }));
		for (const body of [{}, { message: 'Hello' }, ...none, 'text', undefined])
			expect(errorInBody(body)).toBeUndefined();
	});

	const anError = 'The service answered with an error';

	test.each<[string, object, string, string]>([
		['a code', { code: 400, message: 'Too loud' }, 'Bad request: Too loud', 'no'],
		['a code in text', { code: '402' }, 'Insufficient balance', 'no'],
		['the highest code of a refusal', { code: 499 }, 'Bad request', 'no'],
		['a timeout', { code: 408 }, anError, 'maybe'],
		['the lowest code of a fault', { code: 500 }, anError, 'maybe'],
		['the highest code', { code: 599, msg: 'Down' }, `${anError}: Down`, 'maybe'],
		['no success', { success: false, code: 0, message: 'Down' }, `${anError}: Down`, 'maybe'],
		...(
			[
				['invalid_request_error', 'Bad request: Sorry', 'no'],
				['authentication_error', 'Authentication failed: Sorry', 'no'],
				['payment_required', 'Insufficient balance: Sorry', 'no'],
				['permission_error', 'Permission denied: Sorry', 'no'],
				['not_found_error', 'Not found: Sorry', 'no'],
				['rate_limit_error', 'Rate limit reached: Sorry', 'no'],
				['server_error', `${anError}: Sorry`, 'maybe'],
				['bad_gateway', `${anError}: Sorry`, 'maybe'],
			] as const
		).map(([type, message, sent]): [string, object, string, string] => [
			`the type ${type}`,
			{ error: { type, code: 7, message: 'Sorry' } },
			message,
			sent,
		]),
	])('and HTTP 200 tells it by %s', (_, body, message, sent) => {
		expect(errorInBody(body)).toMatchObject({ message, sent, details: { fromService: true } });
	});

	test.each([
		{ code: 399, message: 'Hello' },
		{ code: 600, message: 'Hello' },
		{ success: true, message: 'Hello' },
		{ success: false },
	])('is not in HTTP 200 with %j', (body) => {
		expect(errorInBody(body)).toBeUndefined();
	});

	test('that cannot be read may have cost something', () => {
		expect(unreadableResponse(200)).toMatchObject({
			message: 'The response could not be read (HTTP 200)',
			sent: 'maybe',
			details: { httpStatus: 200, response: undefined },
			transient: true,
		});
	});

	test('that cannot be read is shown: the beginning in the message, more of it in the item', () => {
		const body = { id: 'x'.repeat(1_000) };
		const { message, details } = unreadableResponse(200, body);
		expect(message).toMatch(/^The response could not be read \(HTTP 200\): \{"id":"x{292}…$/);
		expect(details.response).toBe(JSON.stringify(body));
	});
});

describe('A storage that takes no file', () => {
	const told = (fields: object) => storageError(Object.assign(new Error('x'), fields))?.message;

	test.each([
		['is full', 'ENOSPC'],
		['is full', 'SQLITE_FULL'],
		['is full', '53100'],
		['has used up its quota', 'EDQUOT'],
		['is missing or read-only', 'ENOENT'],
		['is missing or read-only', 'ENOTDIR'],
		['is read-only', 'EROFS'],
		['is read-only', 'SQLITE_READONLY'],
		['does not let n8n write', 'EACCES'],
		['does not let n8n write', 'EPERM'],
	])('%s: %s', (state, code) => {
		const message = `The file could not be stored: n8n's storage for files ${state}`;
		expect(told({ code })).toBe(message);
		expect(told({ code: 'EIO', cause: { code } })).toBe(message);
	});

	test('for a reason that is not known may take it a moment later', () => {
		const { message, transient } = new UnknownStorageError('the bucket is busy');
		expect([message, transient]).toEqual([
			'The file could not be stored: the bucket is busy',
			true,
		]);
	});

	test('is told from one that failed for another reason', () => {
		expect(told({ code: 'EIO' })).toBeUndefined();
		expect(told({})).toBeUndefined();
	});
});

describe('An answer stands at the end of a message', () => {
	test('cut to 300 characters', () => {
		const answer = 'x'.repeat(400);
		expect(answerInWords(answer, 'Bad gateway')).toMatch(/^\. The answer was x{290,299}…$/);
	});

	test.each([
		['letters alone', 'née', '. The answer was née'],
		['numbers alone', '42', '. The answer was 42'],
		['no letter and no number', '{}', ''],
		['what the message says already', 'gateway', ''],
		['nothing', undefined, ''],
	])('with %s', (_, answer, words) => {
		expect(answerInWords(answer, 'Bad gateway')).toBe(words);
	});
});

test.each<[unknown, number, string]>([
	[{ a: 1 }, 20, '{"a":1}'],
	['line\n one \t two', 20, 'line one two'],
	[{ a: 'x'.repeat(100) }, 20, '{"a":"xxxxxxxxxxxxx…'],
	[undefined, 20, ''],
	['  ', 20, ''],
])('%j in %d characters is %s', (value, length, text) => {
	expect(toShortText(value, length)).toBe(text);
});
