import type { StartedCommand } from '../../support/command';
import { packSandbox, type PackedSandbox } from '../../support/sandboxCommand';
import { describeOnHosts } from '../support/hosts';

describeOnHosts('"npx mediagen-sandbox" and a credential with what it prints', (host) => {
	let packed: PackedSandbox;
	let command: StartedCommand;
	beforeAll(async () => {
		packed = await packSandbox();
		command = packed.npx('--port', '0');
	}, 60_000);
	afterAll(async () => {
		command.child.kill();
		await command.ended;
		await packed.remove();
	});

	const credential = async (apiKey?: string) => {
		const [, baseUrl = ''] = await command.says(/Base URL +(\S+)/);
		const [, printed = ''] = await command.says(/API Key +(\S+)/);
		const data = {
			baseUrl,
			apiKey: apiKey ?? printed,
			allowPrivateCallbacks: true,
			brandWords: '{}',
		};
		return { name: `Sandbox command ${apiKey ?? ''}`, type: 'mediaGenApi', data };
	};

	test("passes n8n's test, and another key does not", async () => {
		expect(await host().testCredential(await credential())).toMatchObject({ status: 'OK' });
		expect(await host().testCredential(await credential('another-key'))).toMatchObject({
			status: 'Error',
		});
	}, 90_000);
});
