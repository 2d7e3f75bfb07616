import { createHash } from 'node:crypto';
import httpProxy from '@fastify/http-proxy';
import fastify from 'fastify';

/** What webhook processors answer; everything else is the main process's. */
const PRODUCTION = /^\/(webhook|webhook-waiting|form|form-waiting|mcp)(\/|$)/;

/** `inTurn`: each call to the next one. `byPath`: all calls of one address to the same one. */
export type Balance = 'inTurn' | 'byPath';

/**
 * The load balancer that n8n's queue mode asks for: production webhooks go to the webhook processors, the rest to main.
 *
 * @param balance asked for each call
 * @returns how to end it
 */
export async function startProxy(
	port: number,
	main: string,
	webhooks: string[],
	balance: () => Balance,
): Promise<{ stop(): Promise<void> }> {
	const server = fastify({ forceCloseConnections: true, bodyLimit: 1_024 ** 3 });
	let calls = 0;
	const share = (path: string) =>
		balance() === 'byPath'
			? createHash('sha256').update(path).digest().readUInt32BE()
			: (calls += 1);
	await server.register(httpProxy, {
		// Left empty: otherwise all connections would go to it, whatever getUpstream says.
		upstream: '',
		websocket: true,
		disableRequestLogging: true,
		replyOptions: {
			getUpstream: ({ raw }) => {
				const [path = ''] = (raw.url ?? '').split('?');
				return PRODUCTION.test(path) ? (webhooks[share(path) % webhooks.length] ?? main) : main;
			},
		},
	});
	await server.listen({ port, host: '127.0.0.1' });
	return { stop: () => server.close() };
}
