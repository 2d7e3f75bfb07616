import multipart from '@fastify/multipart';
import fastify, { type FastifyError, type FastifyInstance, type FastifyReply } from 'fastify';
import { ZodError } from 'zod/v3';
import { errorEnvelope, invalid, ServiceError } from '../errors';
import { installRequestFaults } from '../faults/requestFaults';
import type { Service } from '../service';
import { installHostCheck } from './callers';
import { installRequestLog } from './requestLog';
import { balanceRoutes, fileRoutes, taskRoutes } from './routes';

/** Room for fourteen references of 10 MB as data URIs (spec, 3b). */
const BODY_LIMIT = 200 * 1024 * 1024;

/** The service over HTTP, not yet listening: balance, task queries and files. The other routes are added to it. */
export async function buildServer(service: Service): Promise<FastifyInstance> {
	const app = fastify({
		bodyLimit: BODY_LIMIT,
		forceCloseConnections: true,
		frameworkErrors: (error, _request, reply: FastifyReply) => {
			void reply.code(400).send(errorEnvelope(400, error.message));
		},
	});
	await app.register(multipart, {
		throwFileSizeLimit: false,
		limits: { files: 10, fields: 20, parts: 30 },
	});

	app.setErrorHandler((error: FastifyError | ServiceError | ZodError, _request, reply) => {
		const { status, message, code } = asServiceError(error);
		return reply.code(status).send(errorEnvelope(status, message, code));
	});
	app.setNotFoundHandler(({ method, url }) => {
		throw new ServiceError(404, `There is no ${method} ${url.replace(/\?.*$/, '')}.`);
	});

	installHostCheck(app, service);
	installRequestLog(app, service);
	installRequestFaults(app, service);
	balanceRoutes(app, service);
	taskRoutes(app, service);
	fileRoutes(app, service);
	return app;
}

/** A body that cannot be read is answered with 400, whatever status the framework gives it. */
function asServiceError(error: FastifyError | ServiceError | ZodError): ServiceError {
	if (error instanceof ServiceError) return error;
	if (error instanceof ZodError) {
		const issues = error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
		return invalid(issues.join('; '));
	}
	const status = error.statusCode ?? 500;
	return new ServiceError(status < 500 ? 400 : 500, error.message);
}
