import httpProxy from '@fastify/http-proxy';
import fastify from 'fastify';

/** What webhook processors answer; everything else is the main process's. */
const PRODUCTION = /^\/(webhook|webhook-waiting|form|form-waiting|mcp)(\/|$)/;

export interface ProxyOptions {
	port: number;
	main: string;
	/** In turn for each request. */
	webhooks: string[];
}

/**
 * The load balancer that n8n's queue mode asks for: production webhooks go round the webhook processors, the rest to main.
 *
 * @returns how to end it
 */
export async function startProxy({ port, main, webhooks }: ProxyOptions): Promise<{ stop(): Promise<void> }> {
	const server = fastify({ forceCloseConnections: true, bodyLimit: 1_024 ** 3 });
	let turn = 0;
	await server.register(httpProxy, {
		// Left empty, for otherwise all connections would go to it, whatever getUpstream says.
		upstream: '',
		websocket: true,
		disableRequestLogging: true,
		replyOptions: {
			getUpstream: ({ raw }) => {
				if (!PRODUCTION.test(raw.url?.split('?')[0] ?? '')) return main;
				turn = (turn + 1) % webhooks.length;
				return webhooks[turn] ?? main;
			},
		},
	});
	await server.listen({ port, host: '127.0.0.1' });
	return { stop: () => server.close() };
}
