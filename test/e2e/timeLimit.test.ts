import { randomUUID } from 'node:crypto';
import type { Execution } from '../../sandbox/host';
import { prompts } from './callbacks/pausing';
import { callWebhook, listenWith, onlyExecution, retry } from './support/executions';
import { describeOnHosts } from './support/hosts';
import { chain, end, pictureNode, promptsOf, startByWebhook } from './support/nodes';
import { eventually } from './support/poll';
import { pictureSubmissions, SUBMISSION, useSandbox } from './support/sandbox';

const CREDENTIAL = 'Time limit';

const ROWS = 5;

describeOnHosts('A time limit of the workflow while a submission is under way', (host, version) => {
	const sandbox = useSandbox(host, CREDENTIAL, { durations: { image: 0 } });

	const retried = async (execution: Execution): Promise<Execution> => {
		await retry(host(), execution);
		return await eventually('the end of the retry', async () => {
			const [latest] = await host().executions({ workflowId: execution.workflowId });
			const again = latest && latest.id !== execution.id && (await host().execution(latest.id));
			return again && again.status === 'success' && again;
		});
	};

	test.each(['poll', 'callback', 'none'])(
		'"%s": its task stands in the log, and on 2.41 Retry has all tasks, buys the rest, and none twice',
		async (waitMode) => {
			// Its answer comes after the limit.
			sandbox().faults.add({ match: SUBMISSION, nth: 2, effect: { type: 'slow', ms: 14_000 } });
			const path = randomUUID();
			const given = { waitMode, options: { concurrency: 1 } };
			const pictures = pictureNode('Pictures', CREDENTIAL, given);
			const all = [startByWebhook(path), prompts, pictures, end];
			const { id, url } = await listenWith(
				host(),
				chain(`Limit ${path}`, all, { executionTimeout: 8 }),
			);
			const { mark } = host().log;
			await callWebhook(url, { prompts: promptsOf(ROWS) });
			const execution = await onlyExecution(host(), id, 'canceled');
			const logged = () => host().log.since(mark).join('\n');
			await eventually('its answer', () => logged().includes('after the execution was canceled'));
			const tasks = pictureSubmissions(sandbox()).map(({ taskId }) => taskId);
			expect(tasks).toHaveLength(2);
			for (const taskId of tasks) expect(logged()).toContain(`task ${taskId} submitted`);

			const items = (await retried(execution)).json('End');
			// 1.123 saves the node's own end only if that comes first, and else runs nothing.
			const isSaved = version !== '1.123' || items.length > 0;
			expect(items).toHaveLength(isSaved ? ROWS : 0);
			expect(pictureSubmissions(sandbox())).toHaveLength(isSaved ? ROWS : 2);
			expect(new Set(items.map(({ taskId }) => taskId)).size).toBe(items.length);
		},
	);
});
