import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod/v3';
import { cacheFolder } from '../../../sandbox/host';
import { describeOnHosts } from '../support/hosts';
import { credentialAt, useSandbox } from '../support/sandbox';

const manifest = z
	.object({ name: z.string(), version: z.string(), n8n: z.object({ nodes: z.array(z.string()) }) })
	.parse(JSON.parse(readFileSync(join(__dirname, '../../../package.json'), 'utf8')));

/** `dist/nodes/MediaGenImage/MediaGenImage.node.js` is the node `mediaGenImage`. */
const nodeNames = manifest.n8n.nodes
	.map((path) => /(\w+)\.node\.js$/.exec(path)?.[1] ?? path)
	.map((name) => `${name.charAt(0).toLowerCase()}${name.slice(1)}`);

describeOnHosts('The packed package', (host) => {
	const sandbox = useSandbox(host, 'Installed');

	test('offers every node but the trigger and the chat model as a tool for an AI agent, and all of them in the editor', async () => {
		const types = await host().nodeTypes(`${manifest.name}.`);
		const offered = types.map(({ name }) => name.replace(`${manifest.name}.`, ''));
		expect(offered).toEqual(expect.arrayContaining(nodeNames));
		expect(offered.filter((name) => name.endsWith('Tool')).sort()).toEqual(
			nodeNames
				.filter((name) => !/Trigger$|ChatModel$/.test(name))
				.map((name) => `${name}Tool`)
				.sort(),
		);
	});

	test('is in the list of installed community nodes', async () => {
		const listed = await host().api.call(
			z.array(z.object({ packageName: z.string(), installedVersion: z.string() })),
			{ url: '/rest/community-packages' },
		);
		expect(listed).toContainEqual({
			packageName: manifest.name,
			installedVersion: manifest.version,
		});
	});

	test('loads without a warning or an error in the log', () => {
		const { lines } = host().log;
		const started = lines.findIndex((line) => line.includes('Editor is now accessible'));
		expect(started).toBeGreaterThan(0);
		// The folder in which n8n itself is installed is named after the package.
		const ofThePackage = lines
			.slice(0, started)
			.filter((line) => line.replaceAll(cacheFolder(), '').includes('mediagen'));
		expect(ofThePackage.filter((line) => /\b(error|warn)/i.test(line))).toEqual([]);
	});

	const testOf = async (apiKey: string) =>
		await host().testCredential(credentialAt(`Key ${apiKey}`, sandbox().url, apiKey));

	test('a credential with a working key passes its test', async () => {
		expect(await testOf('sandbox-key')).toMatchObject({ status: 'OK' });
	});

	test("a credential with a wrong key fails its test, with the service's own reason", async () => {
		const { status, message } = await testOf('no-such-key');
		expect(status).toBe('Error');
		expect(message).toBeTruthy();
		expect(message).not.toContain('no-such-key');
	});
});
