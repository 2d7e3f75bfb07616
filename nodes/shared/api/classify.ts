import { type FaultKind, ServiceFault } from './faults';
import { balanceFailure, errorEnvelope } from './records';
import { z } from '../util/vendor/zod';
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
	// With this spelling n8n tells a canceled execution from one that failed.
	cancelled: 'The execution was canceled',
	refused: 'The request was not sent',
	unsettled: 'An earlier try at this submission broke off, and the task may have been bought: it was not sent again',
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

const NEVER_MADE = [
	'ECONNREFUSED',
	'ENOTFOUND',
	'EAI_AGAIN',
	'EHOSTUNREACH',
	'ENETUNREACH',
	'EHOSTDOWN',
];

const thrown = z.object({
	code: z.unknown(),
	/** Where n8n keeps the code of what its HTTP client threw. */
	httpCode: z.unknown(),
	message: z.unknown(),
	/** n8n's list of the messages it has replaced by its own. */
	messages: z.array(z.unknown()).catch([]),
	cause: z.unknown(),
});

interface Trace {
	codes: Set<unknown>;
	text: string;
}

/** Codes and messages of an error and of what caused it. */
function traceOf(error: unknown): Trace {
	const codes = new Set<unknown>();
	const texts: unknown[] = [];
	let next = error;
	for (let depth = 0; depth < 6; depth++) {
		const link = thrown.safeParse(next);
		if (!link.success) break;
		const { code, httpCode, message, messages, cause } = link.data;
		codes.add(code).add(httpCode);
		texts.push(message, ...messages);
		next = cause;
	}
	return { codes, text: texts.join('\n') };
}

function kindOfThrown(error: unknown): FaultKind {
	const { codes, text } = traceOf(error);
	if (codes.has('ERR_CANCELED') || codes.has('ABORT_ERR')) return 'cancelled';
	if (NEVER_MADE.some((code) => codes.has(code))) return 'notReached';
	if (codes.has('ETIMEDOUT')) return text.includes('connect ETIMEDOUT') ? 'notReached' : 'timeout';
	if (codes.has('ECONNABORTED') || /timeout of \d+ ?ms/.test(text)) return 'timeout';
	return 'network';
}

/** The fault behind an error thrown by n8n's HTTP helper. Takes nothing over that could hold a header. */
export function faultOfThrown(error: unknown): ServiceFault {
	const kind = kindOfThrown(error);
	return new ServiceFault(kind, HEADLINE[kind], kind === 'notReached' ? 'no' : 'unknown');
}
