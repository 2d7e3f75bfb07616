import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod/v3';
import { replySchema } from '../chat/replies';
import { ServiceError } from '../core/errors';
import { faultRuleSchema } from '../core/faults/rule';
import { isLocal } from '../core/http/callers';
import { ADMIN_PREFIX, durationsSchema, SANDBOX_KEYS, settingsChange } from '../core/options';
import type { Service } from '../core/service';
import { keySchema } from '../core/store/accounts';
import { finishAllSchema, finishSchema, handCallbackSchema, type Controls } from './controls';
import { originalGridSchema, originalVideoSchema, uploadedTrackSchema } from './originals';

const keyChange = keySchema.omit({ key: true });
const balanceSchema = keySchema
	.omit({ status: true })
	.extend({ key: z.string().default(SANDBOX_KEYS.default) });
const repliesSchema = z.array(replySchema);

interface AdminRequest {
	Params: { id: string };
	Querystring: { method?: string; path?: string };
}

type Answer = (request: FastifyRequest<AdminRequest>) => unknown;

/** `GET /`: a page that explains the sandbox in a browser. */
export function homeRoute(app: FastifyInstance, service: Service): void {
	app.get('/', async (_request, reply) => {
		await reply.type('text/html; charset=utf-8').send(`<!doctype html>
<html lang="en">
<title>MediaGen sandbox</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:3rem auto;padding:0 1rem}code{background:#eee;padding:.1em .3em}</style>
<h1>MediaGen sandbox</h1>
<p>This is an emulator of the media generation service. Nothing here costs money, and all results are samples.</p>
<p>Base address: <code>${service.url}</code><br>API key: <code>${SANDBOX_KEYS.default}</code></p>
<p>Accepted submissions: ${service.ledger.report().accepted}. Tasks, charges, callbacks, requests and fault rules
are listed under <a href="${ADMIN_PREFIX}">${ADMIN_PREFIX}</a>, from this machine only.</p>
</html>`);
	});
}

/** The admin paths: no key is needed, and only this machine is served. */
export function adminRoutes(app: FastifyInstance, service: Service, controls: Controls): void {
	const { faults, requests, deliveries, tasks, originals, chat, keys, durations, settings } =
		controls;

	const routes: Readonly<Record<`${'GET' | 'POST' | 'PUT' | 'DELETE'} ${string}`, Answer>> = {
		'GET ': () => overview(service, controls, Object.keys(routes)),

		'GET /faults': () => faults.list(),
		'POST /faults': ({ body }) => faults.add(faultRuleSchema.parse(body)),
		'DELETE /faults': () => (faults.clear(), { cleared: true }),
		'DELETE /faults/:id': ({ params: { id } }) => {
			if (!faults.remove(id)) throw new ServiceError(404, 'There is no such rule.');
			return { removed: id };
		},

		'GET /ledger': () => controls.ledger(),
		'GET /requests': ({ query }) => requests.list(query),
		'DELETE /requests': () => (requests.clear(), { cleared: true }),
		'GET /deliveries': () => deliveries.list(),
		'POST /callbacks': ({ body }) => deliveries.send(handCallbackSchema.parse(body)),

		'GET /tasks': () => tasks.list(),
		'GET /tasks/:id': ({ params }) => orNotFound(tasks.get(params.id)),
		'POST /tasks/finish': ({ body }) =>
			tasks.finishAll(finishAllSchema.parse(body ?? undefined).family),
		'POST /tasks/:id/finish': ({ params, body }) =>
			orNotFound(tasks.finish(params.id, finishSchema.parse(body ?? undefined).failure)),

		'POST /tracks': ({ body }) => originals.track(uploadedTrackSchema.parse(body ?? undefined)),
		'POST /grids': ({ body }) => originals.grid(originalGridSchema.parse(body ?? undefined)),
		'POST /videos': ({ body }) => originals.video(originalVideoSchema.parse(body ?? undefined)),

		'GET /chat/bill': () => chat.bill(),
		'GET /chat/replies': () => chat.scripted(),
		'POST /chat/replies': ({ body }) => {
			chat.script(...(Array.isArray(body) ? repliesSchema.parse(body) : [replySchema.parse(body)]));
			return chat.scripted();
		},
		'DELETE /chat/replies': () => (chat.clearScript(), { cleared: true }),

		'GET /keys': () => keys.list(),
		'PUT /keys/:id': ({ params, body }) => keys.set({ key: params.id, ...keyChange.parse(body) }),
		'PUT /balance': ({ body }) => keys.set(balanceSchema.parse(body)),
		'GET /durations': () => durations.get(),
		'PUT /durations': ({ body }) => durations.set(durationsSchema.parse(body)),
		'GET /settings': () => settings.get(),
		'PUT /settings': ({ body }) => settings.set(settingsChange.parse(body)),
		'POST /reset': () => (controls.reset(), { reset: true }),
	};
	for (const [route, answer] of Object.entries(routes)) {
		const [method = '', path = ''] = route.split(' ');
		app.route<AdminRequest>({
			method,
			url: `${ADMIN_PREFIX}${path}`,
			onRequest: localOnly,
			handler: answer,
		});
	}
}

function localOnly(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
	if (isLocal(request)) return done();
	const message =
		'The admin paths are served to this machine only, and to no page of another site.';
	throw new ServiceError(404, message);
}

/** `GET /_sandbox`: what there is, and where. */
function overview(service: Service, controls: Controls, routes: readonly string[]) {
	const paths = new Set(routes.map((route) => route.replace(/^\w+ /, '')));
	return {
		url: service.url,
		now: service.clock.now(),
		settings: controls.settings.get(),
		durations: controls.durations.get(),
		counts: {
			accepted: controls.ledger().accepted,
			requests: controls.requests.list().length,
			deliveries: controls.deliveries.list().length,
			faults: controls.faults.list().length,
		},
		paths: [...paths]
			.filter((path) => path !== '' && !path.includes(':'))
			.map((path) => `${ADMIN_PREFIX}${path}`),
	};
}

function orNotFound<Found>(found: Found | undefined): Found {
	if (found === undefined) throw new ServiceError(404, 'There is no such task.');
	return found;
}
