import { ConnectionError, InvalidRequestError, RateLimitError, ServerError, TimeoutError, UnreachableError, UnreadableResponseError } from '../../../../nodes/shared/api/errors';
import { backoffMs, MAX_ATTEMPTS, mayRetry } from '../../../../nodes/shared/api/http';

const errors = {
	rateLimit: new RateLimitError('x'),
	unreachable: new UnreachableError('x'),
	server: new ServerError('x', 'unknown'),
	connection: new ConnectionError('x', 'unknown'),
	timeout: new TimeoutError('x', 'unknown'),
	unreadable: new UnreadableResponseError('x', 'unknown'),
	refused: new InvalidRequestError('x'),
};

const retried = (policy: 'purchase' | 'read' | 'once', attempts = 1) =>
	Object.entries(errors).flatMap(([name, error]) => (mayRetry(policy, error, attempts) ? [name] : []));

test('a purchase is sent again only when it was surely not accepted', () => {
	expect(retried('purchase')).toEqual(['rateLimit', 'unreachable']);
});

test('a read is sent again after everything that may pass', () => {
	expect(retried('read')).toEqual(['rateLimit', 'unreachable', 'server', 'connection', 'timeout', 'unreadable']);
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
	for (const [attempts, ceiling] of [[1, 1_000], [2, 2_000], [3, 4_000], [6, 30_000], [60, 30_000]] as const) {
		const waits = Array.from({ length: 50 }, () => backoffMs(errors.server, attempts));
		expect(Math.min(...waits)).toBeGreaterThanOrEqual(ceiling / 2);
		expect(Math.max(...waits)).toBeLessThanOrEqual(ceiling);
		expect(new Set(waits).size).toBeGreaterThan(1);
	}
	expect(backoffMs(new RateLimitError('x', 'no', { retryAfterMs: 7_000 }), 1)).toBe(7_000);
});
