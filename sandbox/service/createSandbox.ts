import type { AddressInfo } from 'node:net';
import { createControls, type Controls } from './admin/controls';
import { adminRoutes, homeRoute } from './admin/routes';
import { Chat } from './chat/chat';
import { chatRoutes } from './chat/routes';
import { buildServer } from './core/http/server';
import { ADMIN_PREFIX, optionsSchema, SANDBOX_KEYS, type SandboxOptions } from './core/options';
import { createService } from './core/service';
import { submissionRoutes } from './core/tasks/submit';
import type { Clock } from './core/time/clocks';
import { FAMILIES, SUBMISSIONS } from './families';
import { imageRoutes } from './image/routes';
import { uploadRoutes } from './uploads/routes';

/** A running sandbox. */
export interface Sandbox extends Controls {
	/** Base address of the service, without a trailing slash. */
	readonly url: string;
	/** Base address of the admin paths. */
	readonly adminUrl: string;
	/** A valid key with credits. */
	readonly key: string;
	readonly clock: Clock;
	/** Ends all tasks, callbacks and connections; a second call does nothing. */
	close(): Promise<void>;
}

/**
 * Starts an emulator of the whole media service on one port.
 * @throws the system's error when the port is in use
 */
export async function createSandbox(given: SandboxOptions = {}): Promise<Sandbox> {
	const options = optionsSchema.parse(given);
	const service = createService(options, FAMILIES);
	const chat = new Chat(service);
	const controls = createControls(service, chat);
	const app = await buildServer(service);
	submissionRoutes(app, service, SUBMISSIONS);
	imageRoutes(app, service);
	uploadRoutes(app, service);
	chatRoutes(app, service, chat);
	homeRoute(app, service);
	adminRoutes(app, service, controls);
	const { host } = options;
	await app.listen({ port: options.port, host });
	const { port } = app.server.address() as AddressInfo;
	// A sandbox that listens on all addresses is reached from this machine at the usual one.
	const local = `http://${host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host}:${port}`;
	service.url ||= local;

	let closing: Promise<void> | undefined;
	return {
		...controls,
		url: service.url,
		adminUrl: `${local}${ADMIN_PREFIX}`,
		key: SANDBOX_KEYS.default,
		clock: service.clock,
		close() {
			service.lifetime.end();
			return (closing ??= app.close());
		},
	};
}
