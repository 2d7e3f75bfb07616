import sharp from 'sharp';

import { createSandbox, type Sandbox } from '../../../sandbox/service';
import { describeOnHosts } from '../support/hosts';
import {
	credentialFor,
	EXAMPLE_CREDENTIAL,
	imageWorkflow,
	readExample,
} from '../support/workflows';

describeOnHosts('A pipeline of pictures', (host) => {
	let sandbox: Sandbox;
	beforeAll(async () => {
		sandbox = await createSandbox();
		await host().createCredential(credentialFor(sandbox, 'Essential pipeline'));
	});
	beforeEach(() => {
		sandbox.reset();
		sandbox.durations.set({ image: 1_000 });
	});
	afterAll(async () => await sandbox.close());

	test('Retry On Fail buys nothing twice, and does not run a node again that went well', async () => {
		sandbox.faults.add({
			match: { method: 'POST' },
			nth: 2,
			effect: { type: 'failTask', message: 'The canvas tore' },
		});
		const retry = { retryOnFail: true, maxTries: 3, waitBetweenTries: 100 };
		const definition = imageWorkflow(
			'Essential pipeline',
			{ options: { concurrency: 1 } },
			3,
			retry,
		);
		const workflow = await host().importWorkflow(definition);
		const execution = await host().run(workflow.id, { timeout: 90_000 });
		expect(execution.json('Pictures').map(({ status }) => status)).toStrictEqual([
			'completed',
			'completed',
			'completed',
		]);
		expect(sandbox.ledger().accepted).toBe(4);
	}, 120_000);

	test('the example makes two pictures of an uploaded one and keeps them as files', async () => {
		await host().putCredential(credentialFor(sandbox, EXAMPLE_CREDENTIAL));
		const workflow = await host().importWorkflow(readExample('first-pipeline'));
		const execution = await host().run(workflow.id, { timeout: 60_000 });
		expect(execution.status).toBe('success');
		const files = Object.values(execution.runs)
			.flatMap((runs) => runs.flatMap(({ data }) => data?.main?.[0] ?? []))
			.flatMap(({ json, binary }) => (json.kind === 'image' ? Object.values(binary ?? {}) : []));
		expect(files.length).toBeGreaterThanOrEqual(2);
		for (const file of files.slice(0, 2)) {
			const { data } = await host().binary(file);
			expect((await sharp(data).metadata()).width).toBeGreaterThan(0);
		}
	}, 120_000);
});
