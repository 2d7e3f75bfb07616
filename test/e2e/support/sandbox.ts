import type { Host, NewCredential } from '../../../sandbox/host';
import { createSandbox, type Sandbox, type SandboxOptions } from '../../../sandbox/service';
import { eventually } from './poll';

/** A MediaGen credential for a service at that address. */
export const credentialAt = (name: string, baseUrl: string, apiKey: string): NewCredential => ({
	name,
	type: 'mediaGenApi',
	data: { baseUrl, apiKey, allowPrivateCallbacks: true, brandWords: '{}' },
});

/** A credential for the sandbox. Imported workflows that name none get the newest one. */
export const credentialFor = (sandbox: Sandbox, name: string) =>
	credentialAt(name, sandbox.url, sandbox.key);

/**
 * Gives a suite a service of its own, which each test finds as it was at the beginning, and its host a credential for it.
 * The host is to be there by then.
 */
export function useSandbox(
	host: () => Host,
	credential: string,
	options: SandboxOptions = {},
): () => Sandbox {
	let sandbox: Sandbox;
	beforeAll(async () => {
		sandbox = await createSandbox({ allowPrivateCallbacks: true, ...options });
		await host().putCredential(credentialFor(sandbox, credential));
	}, 60_000);
	beforeEach(() => sandbox.reset());
	afterAll(async () => await sandbox.close());
	return () => sandbox;
}

/** Submissions of pictures, and reads of tasks other than music: for rules of faults. */
export const SUBMISSION = { method: 'POST', path: '/v1/images/generations' } as const;
export const READ = { method: 'GET', path: '/v1/tasks/*' } as const;

/** The submissions of pictures that the service has accepted, in its order. */
export const pictureSubmissions = (sandbox: Sandbox) =>
	sandbox.requests
		.list({ method: 'POST', path: '/v1/images' })
		.flatMap(({ task, body }) => (task === null ? [] : [{ taskId: String(task), body }]));

/** The statuses with which the callbacks of each task were answered. */
export const callbackAnswers = (sandbox: Sandbox) =>
	sandbox.deliveries.list().map(({ attempts }) => attempts.map(({ status }) => status));

/** Waits until the service has nothing left to call back. */
export async function callbacksAreOver(sandbox: Sandbox, patience = 60_000): Promise<void> {
	const isOpen = ({ state }: { state: string }) => state === 'waiting' || state === 'sending';
	const over = () => !sandbox.deliveries.list().some(isOpen);
	await eventually('the end of all callbacks', over, patience);
}
