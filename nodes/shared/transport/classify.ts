import { type FaultKind, ServiceFault } from '../api/faults';
import { balanceFailure, errorEnvelope } from '../api/records';
import { z } from '../vendor/zod';
import { parseRetryAfter } from './retry';

const KIND_OF_STATUS: Record<number, FaultKind> = {
	401: 'authentication',
	402: 'payment',
	403: 'permission',
	404: 'notFound',
	429: 'rateLimit',
	502: 'gateway',
};

const HEADLINE: Record<FaultKind, string> = {
	badRequest: 'The service refused the request',
	authentication: 'The service does not accept the API key',
	payment: 'The balance is not sufficient',
	permission: 'The API key has no permission for this',
	notFound: 'The service does not know what was asked for',
	rateLimit: 'The service asks for fewer requests',
	server: 'The service could not handle the request',
	gateway: 'The service could not reach its own upstream',
	notReached: 'The service could not be reached',
	network: 'The connection to the service broke',
	timeout: 'The service did not answer in time',
	malformed: 'The service sent an answer that cannot be read',
	cancelled: 'The execution was cancelled',
	refused: 'The request was not sent',
};

/** One sentence for a kind of fault, without the service's own words. */
export function headline(kind: FaultKind): string {
	return HEADLINE[kind];
}

interface Answer {
	statusCode: number;
	headers: Record<string, unknown>;
	body?: unknown;
}

function kindOfStatus(status: number): FaultKind {
	const known = KIND_OF_STATUS[status];
	if (known) return known;
	if (status >= 500) return 'server';
	return status >= 400 ? 'badRequest' : 'malformed';
}

function sentence(kind: FaultKind, status: number, serviceMessage: string | undefined): string {
	const said = serviceMessage ? `: ${serviceMessage}` : '';
	return kind === 'server' || kind === 'malformed' ? `${HEADLINE[kind]} (HTTP ${status})${said}` : HEADLINE[kind] + said;
}

/** The fault that an HTTP status other than 2xx stands for (spec, Errors). `now` in milliseconds. */
export function faultOfAnswer(answer: Answer, now: number, redact: (text: string) => string): ServiceFault {
	const kind = kindOfStatus(answer.statusCode);
	const envelope = errorEnvelope.safeParse(answer.body);
	const failure = balanceFailure.safeParse(answer.body);
	const said = envelope.success ? envelope.data.error.message : failure.data?.message;
	const serviceMessage = said === undefined ? undefined : redact(said);
	const code = envelope.success ? envelope.data.error.code : undefined;
	// A 4xx says that nothing was done; what happened before a 5xx or a redirect, nobody says.
	const accepted = answer.statusCode >= 400 && answer.statusCode < 500 ? 'no' : 'unknown';
	return new ServiceFault(kind, sentence(kind, answer.statusCode, serviceMessage), accepted, {
		httpCode: answer.statusCode,
		serviceMessage,
		serviceType: envelope.success ? envelope.data.error.type : undefined,
		serviceCode: code === undefined || code === null ? undefined : String(code),
		retryAfterMs: parseRetryAfter(answer.headers['retry-after'], now),
	});
}

/** The fault for an answer with a good status whose body is not what the spec shows. */
export function malformed(statusCode: number): ServiceFault {
	return new ServiceFault('malformed', sentence('malformed', statusCode, undefined), 'unknown', {
		httpCode: statusCode,
	});
}

const NEVER_MADE = new Set([
	'ECONNREFUSED',
	'ENOTFOUND',
	'EAI_AGAIN',
	'EHOSTUNREACH',
	'ENETUNREACH',
	'EHOSTDOWN',
]);

const thrown = z.object({
	code: z.unknown(),
	syscall: z.unknown(),
	message: z.unknown(),
	cause: z.unknown(),
});

/** An error and what caused it, outermost first. n8n wraps what its HTTP client throws. */
function chain(error: unknown): Array<z.infer<typeof thrown>> {
	const links: Array<z.infer<typeof thrown>> = [];
	let next = error;
	while (links.length < 6) {
		const link = thrown.safeParse(next);
		if (!link.success) break;
		links.push(link.data);
		next = link.data.cause;
	}
	return links;
}

function kindOfThrown(error: unknown): FaultKind {
	const links = chain(error);
	const has = (code: string) => links.some((link) => link.code === code);
	if (has('ERR_CANCELED') || has('ABORT_ERR')) return 'cancelled';
	if (links.some((link) => typeof link.code === 'string' && NEVER_MADE.has(link.code))) return 'notReached';
	if (has('ETIMEDOUT')) {
		return links.some((link) => link.syscall === 'connect') ? 'notReached' : 'timeout';
	}
	if (has('ECONNABORTED') || links.some(({ message }) => /timeout of \d+ms/.test(String(message)))) {
		return 'timeout';
	}
	return 'network';
}

/** The fault behind an error thrown by n8n's HTTP helper. Takes nothing over that could hold a header. */
export function faultOfThrown(error: unknown): ServiceFault {
	const kind = kindOfThrown(error);
	return new ServiceFault(kind, HEADLINE[kind], kind === 'notReached' ? 'no' : 'unknown');
}
