import type { FastifyInstance } from 'fastify';
import { ADMIN_PREFIX, SANDBOX_KEYS } from '../core/options';
import type { Service } from '../core/service';

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
