import {
	ConnectionError,
	errorFromResponse,
	errorFromThrown,
	InsufficientBalanceError,
	NotFoundError,
	parseRetryAfter,
	RateLimitError,
	ServerError,
	TimeoutError,
	UnreachableError,
} from '../../../../nodes/shared/api/errors';

const NOW = Date.UTC(2026, 0, 1);

test.each<[string, unknown, number | undefined]>([
	['seconds', '20', 20_000],
	['part of a second', '0.7', 700],
	['a date', new Date(NOW + 5_000).toUTCString(), 5_000],
	['zero', '0', 500],
	['a negative number', '-3', 500],
	['a past date', new Date(NOW - 60_000).toUTCString(), 500],
	['1e308', '1e308', undefined],
	['Infinity', 'Infinity', undefined],
	['two days', '172800', undefined],
	['words', 'soon', undefined],
	['nothing', '', undefined],
	['no header', undefined, undefined],
	['a list', ['1', '2'], undefined],
])('Retry-After: %s', (_, header, ms) => {
	expect(parseRetryAfter(header, NOW)).toBe(ms);
});

describe('A request that never left is known as such', () => {
	test.each([
		...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
		...['SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'ERR_TLS_CERT_ALTNAME_INVALID', 'ERR_INVALID_CHAR'],
	])('%s', (code) => {
		const error = errorFromThrown(Object.assign(new Error('failed'), { code }));
		expect([error.accepted, error instanceof UnreachableError]).toEqual(['no', true]);
	});

	test('the code stands in a cause, as n8n gives it', () => {
		const inner = Object.assign(new Error('certificate has expired'), { code: 'CERT_HAS_EXPIRED' });
		const error = errorFromThrown(Object.assign(new Error('The service could not be called'), { cause: inner }));
		expect(error).toMatchObject({ accepted: 'no', message: 'The service could not be reached: CERT_HAS_EXPIRED' });
	});

	test.each([
		'write EPROTO 140:error:0A00010B:SSL routines:ssl3_get_record:wrong version number',
		'write EPROTO 140:error:0A000410:SSL routines:ssl3_read_bytes:sslv3 alert handshake failure',
	])('a TLS handshake that failed: %s', (message) => {
		const error = errorFromThrown(Object.assign(new Error(message), { code: 'EPROTO' }));
		expect([error.accepted, error instanceof UnreachableError]).toEqual(['no', true]);
	});

	test('a TLS error after the handshake does not count', () => {
		expect(errorFromThrown(Object.assign(new Error('read EPROTO bad record mac'), { code: 'EPROTO' }))).toMatchObject({ accepted: 'unknown' });
	});

	test('a connection that timed out before it was made', () => {
		expect(errorFromThrown(Object.assign(new Error('connect ETIMEDOUT 10.0.0.1:443'), { code: 'ETIMEDOUT' }))).toMatchObject({ accepted: 'no' });
	});
});

test.each([
	['ECONNRESET', 'socket hang up', ConnectionError],
	['EPIPE', 'write EPIPE', ConnectionError],
	['ECONNABORTED', 'timeout of 60000ms exceeded', TimeoutError],
	['ETIMEDOUT', 'read ETIMEDOUT', TimeoutError],
	[undefined, 'something else', ConnectionError],
])('a request that broke with %s may have been accepted', (code, message, ErrorClass) => {
	const error = errorFromThrown(Object.assign(new Error(message), { code }));
	expect([error.accepted, error instanceof ErrorClass]).toEqual(['unknown', true]);
});

describe('A response with an error', () => {
	const errorOf = (statusCode: number, body: unknown, headers = {}) => errorFromResponse({ statusCode, headers, body }, NOW, 'Task not found');

	test('has message, type and code of the service', () => {
		const error = errorOf(402, { error: { message: 'Top up', type: 'insufficient_quota', code: 'quota' } });
		expect(error).toBeInstanceOf(InsufficientBalanceError);
		expect(error).toMatchObject({ message: 'Insufficient balance: Top up', details: { type: 'insufficient_quota', code: 'quota', httpStatus: 402, fromService: true } });
	});

	test('keeps the message where the type is null', () => {
		expect(errorOf(400, { error: { message: 'Too loud', type: null, code: 400 } })).toMatchObject({ message: 'Bad request: Too loud', details: { code: '400' } });
	});

	test('a 404 is the service\'s own only with its envelope', () => {
		expect(errorOf(404, '<html>Not found</html>')).toMatchObject({ message: 'Task not found', details: { fromService: false } });
		expect(errorOf(404, { error: { message: 'No such task' } })).toMatchObject({ details: { fromService: true } });
		expect(errorOf(404, {})).toBeInstanceOf(NotFoundError);
		expect(errorOf(404, { message: 'no Route matched' })).toMatchObject({ details: { fromService: false } });
	});

	test.each([
		[429, RateLimitError, 'no'],
		[400, Error, 'no'],
		[500, ServerError, 'unknown'],
		[502, ServerError, 'unknown'],
		[302, Error, 'unknown'],
	])('%d: whether something was bought', (status, ErrorClass, accepted) => {
		const error = errorOf(status, {});
		expect([error.accepted, error instanceof ErrorClass]).toEqual([accepted, true]);
	});
});
