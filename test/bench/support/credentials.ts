import type { Host } from '../../../sandbox/host';
import type { Sandbox } from '../../../sandbox/service';
import { credentialFor } from '../../e2e/support/sandbox';
import { BENCH_CREDENTIAL } from './nodes';

/** Both credentials: the package's own, and the header that n8n's HTTP Request sends. */
export async function giveCredentials(host: Host, sandbox: Sandbox): Promise<void> {
	await host.createCredential(credentialFor(sandbox, BENCH_CREDENTIAL));
	await host.createCredential({
		name: BENCH_CREDENTIAL,
		type: 'httpHeaderAuth',
		data: { name: 'Authorization', value: `Bearer ${sandbox.key}` },
	});
}
