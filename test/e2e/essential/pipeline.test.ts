import { runWorkflow } from '../support/executions';
import { describeOnHosts } from '../support/hosts';
import { SUBMISSION, useSandbox } from '../support/sandbox';
import { imageWorkflow } from '../support/workflows';

const CREDENTIAL = 'Essential pipeline';

describeOnHosts('A pipeline of pictures', (host) => {
	const sandbox = useSandbox(host, CREDENTIAL, { durations: { image: 1_000 } });

	test('Retry On Fail buys nothing twice, and does not run a node again that went well', async () => {
		const effect = { type: 'failTask', message: 'The canvas tore' } as const;
		sandbox().faults.add({ match: SUBMISSION, nth: 2, effect });
		const retry = { retryOnFail: true, maxTries: 3, waitBetweenTries: 100 };
		const pictures = imageWorkflow(CREDENTIAL, { options: { concurrency: 1 } }, 3, retry);
		const execution = await runWorkflow(host(), pictures);
		const statuses = execution.json('Pictures').map(({ status }) => status);
		expect(statuses).toStrictEqual(['completed', 'completed', 'completed']);
		expect(sandbox().ledger().accepted).toBe(4);
	});
});
