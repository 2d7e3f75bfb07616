import { createSandbox, type Sandbox } from '../../../sandbox/service';
import { describeOnHosts } from '../support/hosts';
import { mediaGenApi, startByHand, workflow } from '../support/nodes';
import { credentialFor } from '../support/workflows';

const CREDENTIAL = 'For HTTP Request';

describeOnHosts("n8n's HTTP Request with the credential", (host) => {
	let sandbox: Sandbox;
	let elsewhere: Sandbox;
	beforeAll(async () => {
		[sandbox, elsewhere] = await Promise.all([createSandbox({}), createSandbox({})]);
		await host().createCredential(credentialFor(sandbox, CREDENTIAL));
	});
	afterAll(async () => {
		await sandbox.close();
		await elsewhere.close();
	});

	async function request(url: string) {
		const node = {
			name: 'Request',
			type: 'n8n-nodes-base.httpRequest',
			typeVersion: 4.2,
			parameters: { url, authentication: 'predefinedCredentialType', nodeCredentialType: 'mediaGenApi', options: {} },
			credentials: mediaGenApi(CREDENTIAL),
		};
		const { id } = await host().importWorkflow(workflow('HTTP Request', [startByHand, node], { Go: 'Request' }));
		return await host().run(id, { timeout: 60_000 });
	}

	test('reads the balance at the base URL', async () => {
		const execution = await request(`${sandbox.url}/v1/balance`);
		expect(execution.error).toBeUndefined();
		expect(execution.json('Request')).toMatchObject([{ success: true, remain_credits: expect.any(Number) }]);
	}, 90_000);

	test('does not send the key to another address', async () => {
		const execution = await request(`${elsewhere.url}/v1/balance`);
		expect(execution.status).toBe('error');
		expect(elsewhere.requests.list()).toEqual([]);
		expect(JSON.stringify(execution.error)).not.toContain(sandbox.key);
	}, 90_000);
});
