import type { AddressInfo } from 'node:net';
import type { Controls } from './admin/controls';
import { createControls } from './admin/createControls';
import { SANDBOX_KEYS, type SandboxOptions } from './core/options';
import { ADMIN_PREFIX } from './core/http/paths';
import { buildServer } from './core/http/server';
import { createService } from './core/service';
import type { Clock } from './core/time/clock';

/** A running sandbox. */
export interface Sandbox extends Controls {
	/** Base address of the service, without a trailing slash. */
	readonly url: string;
	/** Base address of the admin paths. */
	readonly adminUrl: string;
	/** The key that simply works. */
	readonly key: string;
	readonly clock: Clock;
	/** Ends all tasks, callbacks and connections; calling it again changes nothing. */
	close(): Promise<void>;
}

/**
 * Starts an emulator of the whole media service on one port.
 * @throws the system's error when the port is taken
 */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
	const service = createService(options);
	const controls = createControls(service);
	const app = await buildServer(service, controls);
	const host = options.host ?? '127.0.0.1';
	await app.listen({ port: options.port ?? 0, host });
	const { port } = app.server.address() as AddressInfo;
	// Whoever listens on all addresses is reached by this machine under its usual name.
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
