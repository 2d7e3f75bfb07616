import type { FastifyInstance } from 'fastify';
import { z } from 'zod/v3';
import { replySchema } from '../chat/replies';
import { errorEnvelope, ServiceError } from '../core/errors';
import { faultRuleSchema } from '../core/faults/rule';
import { isLocal } from '../core/http/callers';
import { ADMIN_PREFIX, settingsChange } from '../core/options';
import type { Service } from '../core/service';
import type { Controls } from './controls';
import { originalGridSchema, originalVideoSchema, uploadedTrackSchema } from './originals';
import {
	balanceSchema,
	durationsSchema,
	finishAllSchema,
	finishSchema,
	handCallbackSchema,
	keySchema,
} from './schemas';

/** The admin paths: no key is needed, and only this machine is served. */
export function adminRoutes(app: FastifyInstance, service: Service, controls: Controls): void {
	app.addHook('onRequest', async (request, reply) => {
		if (isLocal(request)) return;
		await reply
			.code(404)
			.send(
				errorEnvelope(
					404,
					'The admin paths are served to this machine only, and to no page of another site.',
				),
			);
	});
	const path = (rest: string) => `${ADMIN_PREFIX}${rest}`;

	app.get(ADMIN_PREFIX, () => ({
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
		paths: [
			'faults',
			'ledger',
			'requests',
			'deliveries',
			'callbacks',
			'tasks',
			'tracks',
			'grids',
			'videos',
			'chat/bill',
			'chat/replies',
			'keys',
			'balance',
			'durations',
			'settings',
			'reset',
		].map((name) => path(`/${name}`)),
	}));

	app.get(path('/faults'), () => controls.faults.list());
	app.post(path('/faults'), (request) => controls.faults.add(faultRuleSchema.parse(request.body)));
	app.delete(path('/faults'), () => (controls.faults.clear(), { cleared: true }));
	app.delete<{ Params: { id: string } }>(path('/faults/:id'), (request) => {
		if (!controls.faults.remove(request.params.id))
			throw new ServiceError(404, 'There is no such rule.');
		return { removed: request.params.id };
	});

	app.get(path('/ledger'), () => controls.ledger());
	app.get<{ Querystring: { method?: string; path?: string } }>(path('/requests'), (request) =>
		controls.requests.list(request.query),
	);
	app.delete(path('/requests'), () => (controls.requests.clear(), { cleared: true }));
	app.get(path('/deliveries'), () => controls.deliveries.list());
	app.post(path('/callbacks'), (request) => {
		const { body, ...callback } = handCallbackSchema.parse(request.body);
		return controls.deliveries.send({ ...callback, body });
	});

	app.get(path('/tasks'), () => controls.tasks.list());
	app.get<{ Params: { id: string } }>(path('/tasks/:id'), (request) =>
		orNotFound(controls.tasks.get(request.params.id)),
	);
	app.post(path('/tasks/finish'), (request) =>
		controls.tasks.finishAll(finishAllSchema.parse(request.body ?? undefined).family),
	);
	app.post<{ Params: { id: string } }>(path('/tasks/:id/finish'), (request) =>
		orNotFound(
			controls.tasks.finish(
				request.params.id,
				finishSchema.parse(request.body ?? undefined).failure,
			),
		),
	);

	app.post(path('/tracks'), (request) =>
		controls.originals.track(uploadedTrackSchema.parse(request.body ?? undefined)),
	);
	app.post(path('/grids'), (request) =>
		controls.originals.grid(originalGridSchema.parse(request.body ?? undefined)),
	);
	app.post(path('/videos'), (request) =>
		controls.originals.video(originalVideoSchema.parse(request.body ?? undefined)),
	);

	app.get(path('/chat/bill'), () => controls.chat.bill());
	app.get(path('/chat/replies'), () => controls.chat.scripted());
	app.post(path('/chat/replies'), (request) => {
		controls.chat.script(
			...(Array.isArray(request.body)
				? z.array(replySchema)
				: replySchema.transform((one) => [one])
			).parse(request.body),
		);
		return controls.chat.scripted();
	});
	app.delete(path('/chat/replies'), () => (controls.chat.clearScript(), { cleared: true }));

	app.get(path('/keys'), () => controls.keys.list());
	app.put<{ Params: { key: string } }>(path('/keys/:key'), (request) =>
		controls.keys.set({ key: request.params.key, ...keySchema.parse(request.body) }),
	);
	app.put(path('/balance'), (request) => controls.keys.set(balanceSchema.parse(request.body)));
	app.get(path('/durations'), () => controls.durations.get());
	app.put(path('/durations'), (request) =>
		controls.durations.set(durationsSchema.parse(request.body)),
	);
	app.get(path('/settings'), () => controls.settings.get());
	app.put(path('/settings'), (request) =>
		controls.settings.set(settingsChange.parse(request.body)),
	);
	app.post(path('/reset'), () => (controls.reset(), { reset: true }));
}

function orNotFound<Found>(found: Found | undefined): Found {
	if (found === undefined) throw new ServiceError(404, 'There is no such task.');
	return found;
}
