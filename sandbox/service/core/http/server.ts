import multipart from '@fastify/multipart';
import fastify, { type FastifyError, type FastifyInstance, type FastifyReply } from 'fastify';
import { ZodError } from 'zod/v3';
import type { Controls } from '../../admin/controls';
import { errorEnvelope, ServiceError } from '../errors';
import { installRequestFaults } from '../faults/requestFaults';
import { adminRoutes } from '../../admin/routes';
import { balanceRoutes } from './balance';
import { chatRoutes } from '../../chat/routes';
import { fileRoutes } from './files';
import { gridRoutes } from '../../grid/routes';
import { homeRoute } from './home';
import { imageRoutes } from '../../image/routes';
import { musicRoutes } from '../../music/routes';
import { installRequestLog } from './requestLog';
import { taskRoutes } from './tasks';
import { uploadRoutes } from '../../uploads/routes';
import { videoRoutes } from '../../video/routes';
import type { Service } from '../service';

/** Room for fourteen references of 10 MB as data URIs (spec, 3b). */
const BODY_LIMIT = 200 * 1024 * 1024;

/** The service over HTTP, not yet listening. */
export async function buildServer(service: Service, controls: Controls): Promise<FastifyInstance> {
	const app = fastify({
		bodyLimit: BODY_LIMIT,
		forceCloseConnections: true,
		frameworkErrors: (error, _request, reply: FastifyReply) => {
			void reply.code(400).send(errorEnvelope(400, error.message));
		},
	});
	await app.register(multipart, { throwFileSizeLimit: false, limits: { files: 10, fields: 20, parts: 30 } });

	app.setErrorHandler((error: FastifyError | ServiceError | ZodError, _request, reply) => {
		const { status, message, code } = asServiceError(error);
		return reply.code(status).send(errorEnvelope(status, message, code));
	});
	app.setNotFoundHandler((request, reply) =>
		reply.code(404).send(errorEnvelope(404, `There is no ${request.method} ${request.url.replace(/\?.*$/, '')}.`)),
	);

	installRequestLog(app, service);
	installRequestFaults(app, service);
	for (const routes of [
		homeRoute,
		balanceRoutes,
		musicRoutes,
		imageRoutes,
		gridRoutes,
		videoRoutes,
		chatRoutes,
		taskRoutes,
		uploadRoutes,
		fileRoutes,
	]) {
		routes(app, service);
	}
	await app.register((admin, _options, done) => {
		adminRoutes(admin, service, controls);
		done();
	});
	return app;
}

/** A body that cannot be read is the caller's fault, whatever the framework calls it. */
function asServiceError(error: FastifyError | ServiceError | ZodError): ServiceError {
	if (error instanceof ServiceError) return error;
	if (error instanceof ZodError) {
		return new ServiceError(400, error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '));
	}
	const status = error.statusCode ?? 500;
	return new ServiceError(status < 500 ? 400 : 500, error.message);
}
