import { setTimeout as delay } from 'node:timers/promises';
import { pausing } from './callbacks/pausing';
import { report } from './callbacks/report';
import { callWebhook, listenWith, runWorkflow } from './support/executions';
import { describeWithOwnHosts, useHost } from './support/hosts';
import {
	chain,
	code,
	end,
	pictureNode,
	promptsOf,
	startByHand,
	startByWebhook,
	workflow,
} from './support/nodes';
import { eventually, until } from './support/poll';
import {
	callbackAnswers,
	callbacksAreOver,
	credentialFor,
	READ,
	useSandbox,
} from './support/sandbox';

const CREDENTIAL = 'Sandbox';

jest.setTimeout(600_000);

describeWithOwnHosts('Pause until the service calls back', (version, start) => {
	const host = useHost(start);
	const sandbox = useSandbox(host, CREDENTIAL, { durations: { image: null } });
	const { begin, execution, pause, taskOf } = pausing(host, sandbox, CREDENTIAL);

	test('20 items, called back shuffled, doubled and some at once: one resume, in item order, at most 3 reads per item', async () => {
		const atOnce = { type: 'duration', ms: 0 } as const;
		const doubled = { type: 'duplicateCallback', copies: 2, spacing: 'simultaneous' } as const;
		sandbox().faults.add({ match: { family: 'image' }, nth: 4, count: 3, effect: atOnce });
		sandbox().faults.add({ count: null, effect: doubled });
		const prompts = promptsOf(20);
		const { workflow } = await pause(prompts);
		const open = prompts
			.map(taskOf)
			.filter((taskId) => sandbox().tasks.get(taskId)?.stage !== 'completed');
		expect(open).toHaveLength(17);
		const reads = () => sandbox().requests.list({ method: 'GET', path: '/v1/tasks/' }).length;
		// Beside the ends, the node's own look at the stored pause would read what their callbacks read.
		await eventually('the look at the stored pause', () => reads() > prompts.length);
		open.sort((a, b) => a.slice(-6).localeCompare(b.slice(-6)));
		for (const taskId of open) {
			sandbox().tasks.finish(taskId);
			await delay(30);
		}
		const resumed = await execution(workflow, 'success');
		await callbacksAreOver(sandbox());

		expect(resumed.runs.End).toHaveLength(1);
		expect(resumed.json('End').map(({ taskId, status }) => ({ taskId, status }))).toEqual(
			prompts.map((prompt) => ({ taskId: taskOf(prompt), status: 'completed' })),
		);
		expect(resumed.items('End').map(({ pairedItem }) => pairedItem)).toEqual(
			prompts.map((_, item) => ({ item })),
		);
		report(`One execution with 20 items, n8n ${version}`, {
			callbacks: callbackAnswers(sandbox()).length,
			reads: reads(),
			'reads per item': reads() / 20,
		});
		expect(reads()).toBeLessThanOrEqual(3 * 20);
		expect(reads()).toBeGreaterThanOrEqual(20);
	});

	test('a callback that comes before the execution has paused is turned away by n8n, and no task is lost by it', async () => {
		sandbox().faults.add({ match: { family: 'image' }, effect: { type: 'duration', ms: 0 } });
		sandbox().faults.add({ match: READ, effect: { type: 'slow', ms: 6_000 } });
		const done = await execution(await begin(['Early']), 'success');
		expect(done.json('End')).toMatchObject([{ taskId: taskOf('Early'), status: 'completed' }]);
		expect(callbackAnswers(sandbox())).toEqual([[409]]);
	});

	describe('a task is asked for before the pause, once after n8n has stored it, and then not for a while', () => {
		async function expectTwoReads(): Promise<void> {
			const reads = () => sandbox().requests.list({ method: 'GET', path: '/v1/tasks/' }).length;
			await until(reads, (count) => count >= 2);
			// The next one comes ten seconds after the end that the service expects, or after 20 seconds.
			await delay(5_000);
			expect(reads()).toBe(2);
		}

		test('in an execution that a call has started', async () => {
			const { workflow } = await pause(['Picture']);
			await expectTwoReads();
			sandbox().tasks.finish(taskOf('Picture'));
			await execution(workflow, 'success');
		});

		test('in an execution that was started by hand', async () => {
			const picture = pictureNode('Picture', CREDENTIAL, { waitMode: 'callback' });
			await runWorkflow(host(), chain('Paused by hand', [startByHand, picture]), {
				orWaiting: true,
			});
			await expectTwoReads();
		});
	});

	test('after the timeout, and not a minute later, what has ended comes out, and the rest says "submitted" and names the task', async () => {
		const { workflow } = await pause(['Ended', 'Lost', 'Slow'], { options: { timeout: 20 } });
		const began = Date.now();
		sandbox().tasks.finish(taskOf('Ended'));
		sandbox().faults.add({ count: null, effect: { type: 'missingCallback' } });
		sandbox().tasks.finish(taskOf('Lost'));
		const woken = await execution(workflow, 'success');
		expect((Date.now() - began) / 1_000).toBeLessThan(75);
		expect(woken.json('End')).toMatchObject([
			{ taskId: taskOf('Ended'), status: 'completed' },
			{ taskId: taskOf('Lost'), status: 'completed' },
			{ taskId: taskOf('Slow'), status: 'submitted', results: [], input: { prompt: 'Slow' } },
		]);
	});

	test('a download that hangs beyond the timeout does not take the other rows their files', async () => {
		const { workflow } = await pause(['Whole', 'Hangs'], {
			downloadFiles: true,
			// A download that stalls for a minute starts again: the pause must give up the files before.
			options: { timeout: 10 },
		});
		sandbox().faults.add({
			match: { method: 'GET', path: '/files/*' },
			nth: 2,
			effect: { type: 'hang' },
		});
		for (const prompt of ['Whole', 'Hangs']) sandbox().tasks.finish(taskOf(prompt));
		const woken = await execution(workflow, 'success');
		const items = woken.json('End');
		expect(items.map(({ status }) => status)).toEqual(['completed', 'completed']);
		expect(items.filter(({ error }) => error === undefined)).toHaveLength(1);
		expect(items.find(({ error }) => error !== undefined)?.error).toMatchObject({
			message: expect.stringContaining('The download took too long'),
		});
		expect(woken.files('End')).toHaveLength(1);
	});

	test('an address that leads to another place is found before the pause: the node polls, and says so', async () => {
		const elsewhere = await start({ env: { WEBHOOK_URL: sandbox().url } });
		await elsewhere.createCredential(credentialFor(sandbox(), CREDENTIAL));
		// Longer than the node would wait for without a pause.
		sandbox().durations.set({ image: 30_000 });
		const there = pausing(() => elsewhere, sandbox, CREDENTIAL);
		const polled = await there.execution(await there.begin(['Picture']), 'success');
		const note = expect.stringContaining(
			`The node polled instead of pausing: ${sandbox().url} does not lead back to this execution`,
		);
		expect(polled.json('End')).toMatchObject([{ status: 'completed', notes: [note] }]);
	});

	test('of two runs of the node that are due, both buy, one after the other has resumed', async () => {
		const given = code('Prompts', 'return [{ prompt: "Left" }, { prompt: "Right" }]');
		const isLeft = { value1: '={{ $json.prompt }}', operation: 'equal', value2: 'Left' };
		const parameters = { conditions: { string: [isLeft] } };
		const either = { name: 'Either', type: 'n8n-nodes-base.if', parameters };
		const pictures = pictureNode('Pictures', CREDENTIAL, { waitMode: 'callback' });
		const links = { Go: 'Prompts', Prompts: 'Either', Either: ['Pictures', 'Pictures'] };
		const listening = await listenWith(
			host(),
			workflow('Both outputs', [startByWebhook('both-outputs'), given, either, pictures, end], {
				...links,
				Pictures: 'End',
			}),
		);
		await callWebhook(listening.url);
		const open = () =>
			sandbox()
				.tasks.list()
				.filter(({ stage }) => stage !== 'completed');
		for (let run = 0; run < 2; run++) {
			const [task] = await until(open, ({ length }) => length > 0, 60_000);
			await execution(listening, 'waiting');
			sandbox().tasks.finish(task?.id ?? '');
		}
		const done = await execution(listening, 'success');
		const output = done.runs.End?.flatMap(({ data }) => data?.main?.[0]?.map(({ json }) => json));
		const ids = output?.map((json) => json?.taskId);
		expect(ids?.sort()).toEqual([taskOf('Left'), taskOf('Right')].sort());
	});

	test('a failed task comes out in its place, with the reason', async () => {
		const goOn = { onError: 'continueRegularOutput' };
		const { workflow } = await pause(['One', 'Two', 'Three'], {}, goOn);
		sandbox().tasks.finish(taskOf('Three'));
		sandbox().tasks.finish(taskOf('Two'), { message: 'The canvas tore' });
		sandbox().tasks.finish(taskOf('One'));
		const error = { message: expect.stringContaining('The canvas tore') };
		expect((await execution(workflow, 'success')).json('End')).toMatchObject([
			{ taskId: taskOf('One'), status: 'completed' },
			{ taskId: taskOf('Two'), status: 'failed', error },
			{ taskId: taskOf('Three'), status: 'completed' },
		]);
	});
});
