import sharp from 'sharp';
import { z } from 'zod/v3';

import { openBucket } from '../support/bucket';
import { describeOnHosts } from '../support/hosts';
import { McpClient } from '../support/mcpClient';
import { useSandbox } from '../support/sandbox';
import { EXAMPLE_CREDENTIAL, readExample } from '../support/workflows';

const TOKEN = 'token-of-the-mcp-client-83d2';

interface Definition {
	name: string;
	nodes: Array<{ name: string; type: string; credentials?: Record<string, { name: string }> }>;
	connections: Record<string, unknown>;
}

/** An example in which a person has chosen a credential of another service. */
function exampleWith(name: string, node: string, credential: { name: string; type: string }) {
	const definition = readExample(name) as Definition;
	const credentials = { [credential.type]: { id: '', name: credential.name } };
	const nodes = definition.nodes.map((each) =>
		each.name === node ? { ...each, credentials } : each,
	);
	return { ...definition, nodes };
}

const toolsSchema = z.object({
	tools: z.array(
		z.object({ name: z.string(), inputSchema: z.object({ properties: z.record(z.unknown()) }) }),
	),
});

const contentSchema = z.object({ content: z.array(z.object({ text: z.string() })) });

describeOnHosts('The examples that need an account elsewhere', (host) => {
	const sandbox = useSandbox(host, EXAMPLE_CREDENTIAL, { durations: { image: 500 } });

	test('files-to-s3.json: run twice, the bucket has each file once, under the name of its row', async () => {
		const bucket = await openBucket();
		await host().putCredential(bucket.credential);
		const { id } = await host().importWorkflow(
			exampleWith('files-to-s3', 'To the Bucket', bucket.credential),
		);
		for (const bought of [2, 4]) {
			const execution = await host().run(id, { timeout: 120_000 });
			expect(execution.error).toBeUndefined();
			expect(sandbox().ledger().accepted).toBe(bought);
			expect([...bucket.files.keys()].sort()).toEqual(
				['P-001-2', 'P-001', 'P-002-2', 'P-002'].map((name) => `/pictures/pictures/${name}.png`),
			);
		}
		for (const { type, content } of bucket.files.values()) {
			expect(type).toBe('image/png');
			expect((await sharp(content).metadata()).format).toBe('png');
		}
		await bucket.close();
	});

	test('files-to-s3.json: where links are dead, the other files are in the bucket, and the run ends with an error that names them', async () => {
		const bucket = await openBucket();
		await host().putCredential(bucket.credential);
		const { id } = await host().importWorkflow(
			exampleWith('files-to-s3', 'To the Bucket', bucket.credential),
		);
		sandbox().faults.add({
			match: { method: 'GET', path: '/files/*-2.png' },
			count: 100,
			effect: { type: 'status', status: 404 },
		});
		const { error } = await host().run(id, { timeout: 120_000 });
		const stored = ['P-001', 'P-002'].map((name) => `/pictures/pictures/${name}.png`);
		expect([...bucket.files.keys()].sort()).toEqual(stored);
		const [one, two] = sandbox().tasks.list();
		for (const task of [one, two]) expect(error?.message).toContain(task?.results?.[1]?.url);
		expect(error?.message).toContain(`for Task: Get: ${one?.id}, ${two?.id}`);
		await bucket.close();
	});

	describe('mcp-server.json', () => {
		let workflow: string;
		const server = () => `${host().url}/mcp/mediagen`;
		beforeAll(async () => {
			const token = { name: 'MCP', type: 'httpBearerAuth', data: { token: TOKEN } };
			await host().putCredential(token);
			const { id } = await host().importWorkflow(
				exampleWith('mcp-server', 'Pictures by MCP', token),
			);
			workflow = id;
			await host().activate(workflow);
		});
		afterAll(async () => await host().deactivate(workflow));

		test('a program finds the tools, makes a picture, and gets its link', async () => {
			const client = new McpClient(server(), TOKEN);
			expect(await client.open()).toBe(200);
			const { tools } = toolsSchema.parse(await client.call('tools/list'));
			expect(
				tools.map(({ name, inputSchema }) => [name, Object.keys(inputSchema.properties)]).sort(),
			).toEqual([
				['Get_the_Balance', expect.any(Array)],
				['Make_a_Picture', ['prompt']],
			]);
			const prompt = 'A lighthouse at dawn';
			const { content } = contentSchema.parse(
				await client.call('tools/call', { name: 'Make_a_Picture', arguments: { prompt } }),
			);
			const [task] = sandbox().tasks.list();
			expect(content[0]?.text).toContain(task?.results?.[0]?.url ?? 'no link');
			expect(sandbox().ledger().accepted).toBe(1);
		});

		test('without the token nothing is bought', async () => {
			expect(await new McpClient(server(), 'another-token').open()).toBe(403);
			expect(sandbox().requests.list()).toEqual([]);
		});
	});
});
