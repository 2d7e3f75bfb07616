import type { StartedCommand } from '../../support/command';
import { packSandbox, type PackedSandbox } from '../../support/sandboxCommand';
import { describeOnHosts } from '../support/hosts';
import { credentialAt } from '../support/sandbox';

describeOnHosts('"npx mediagen-sandbox" and a credential with what it prints', (host) => {
	let packed: PackedSandbox;
	let command: StartedCommand;
	beforeAll(async () => {
		packed = await packSandbox();
		command = packed.npx('--port', '0');
	});
	afterAll(async () => {
		command.child.kill();
		await command.ended;
		await packed.remove();
	});

	/** Tests a credential with the printed key, or another one. */
	const testOf = async (apiKey?: string) => {
		const [, baseUrl = ''] = await command.says(/Base URL +(\S+)/);
		const [, printed = ''] = await command.says(/API Key +(\S+)/);
		const name = `Sandbox command ${apiKey ?? ''}`;
		return await host().testCredential(credentialAt(name, baseUrl, apiKey ?? printed));
	};

	test("passes n8n's test, and another key does not", async () => {
		expect(await testOf()).toMatchObject({ status: 'OK' });
		expect(await testOf('another-key')).toMatchObject({ status: 'Error' });
	});
});
