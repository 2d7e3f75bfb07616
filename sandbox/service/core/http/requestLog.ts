import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { ADMIN_PREFIX } from '../options';
import type { Service } from '../service';
import type { RequestRecord } from '../store/requests';
import { shortened } from './parse';

declare module 'fastify' {
	interface FastifyRequest {
		/** Its entry in the log; `null` for the sandbox's own admin paths. */
		exchange: RequestRecord | null;
	}
}

const SECRET = /^(authorization|x-api-key|cookie|proxy-authorization)$/;

/** Logs every request to the service with its body, its status and how it ended. */
export function installRequestLog(app: FastifyInstance, service: Service): void {
	app.decorateRequest('exchange', null);

	app.addHook('onRequest', (request, reply, done) => {
		const { pathname, search } = new URL(request.url, 'http://sandbox');
		if (`${pathname}/`.startsWith(`${ADMIN_PREFIX}/`)) return done();
		const record = service.requests.begin({
			at: service.clock.now(),
			method: request.method,
			path: pathname,
			query: search,
			headers: redacted(request.headers),
		});
		request.exchange = record;
		const arrived = performance.now();
		reply.raw.once('close', () => {
			service.requests.end(record, {
				outcome: reply.raw.writableFinished ? 'answered' : 'cut',
				status: reply.raw.headersSent ? reply.raw.statusCode : null,
				tookMs: Math.round(performance.now() - arrived),
			});
		});
		done();
	});

	app.addHook('preValidation', (request, _reply, done) => {
		if (request.exchange) request.exchange.body = shortened(request.body);
		done();
	});
}

function redacted(headers: IncomingHttpHeaders): Record<string, string> {
	return Object.fromEntries(
		Object.entries(headers).map(([name, value]) => {
			const text = Array.isArray(value) ? value.join(', ') : (value ?? '');
			return [name, SECRET.test(name) ? text.replace(/\S+$/, '[redacted]') : text];
		}),
	);
}
