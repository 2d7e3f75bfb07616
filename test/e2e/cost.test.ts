import { z } from 'zod/v3';

import { createSandbox, type Sandbox } from '../../sandbox/service';
import { describeOnHosts } from './support/hosts';
import { credentialFor, imageWorkflow } from './support/workflows';

const CREDENTIAL = 'Cost';

const withCustomData = z.object({ customData: z.record(z.string()).nullish() });

describeOnHosts('The cost of an execution', (host) => {
	let sandbox: Sandbox;
	beforeAll(async () => {
		sandbox = await createSandbox({ durations: { image: 300 } });
		await host().createCredential(credentialFor(sandbox, CREDENTIAL));
	});
	beforeEach(() => sandbox.reset());
	afterAll(async () => await sandbox.close());

	test("is in the execution's custom data, as much as the service charged", async () => {
		sandbox.faults.add({ match: { method: 'POST' }, nth: 2, effect: { type: 'failTask', message: 'The canvas tore' } });
		const settings = { onError: 'continueRegularOutput' };
		const { id } = await host().importWorkflow(imageWorkflow(CREDENTIAL, { options: { concurrency: 1, pollInterval: 1 } }, 3, settings));
		const execution = await host().run(id, { timeout: 60_000 });
		expect(execution.status).toBe('success');
		const { customData } = await host().api.call(withCustomData, { url: `/rest/executions/${execution.id}` });
		expect(customData).toMatchObject({ mediagen_tasks: '3', mediagen_credits: String(sandbox.ledger().netCredits) });
	}, 90_000);
});
