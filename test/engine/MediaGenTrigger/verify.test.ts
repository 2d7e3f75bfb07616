import { FAMILIES, TASK_FAMILIES, taskPath } from '../../../nodes/shared/api/families';
import type { FaultRuleInput } from '../../../sandbox/service';
import { useSandbox } from '../support/sandbox';
import { TriggerHost } from '../support/triggerHost';

const service = useSandbox();

/** Calls a trigger back for a task that has ended. */
async function call(id: string, more: object = {}) {
	const { url: baseUrl, key: apiKey, requests } = service.sandbox;
	requests.clear();
	const host = new TriggerHost({ baseUrl, apiKey }, { downloadFiles: false });
	return await host.receive({ id, status: 'completed', ...more });
}

/** Where the service was asked for it. */
const asked = () => service.sandbox.requests.list({ method: 'GET' }).map(({ path }) => path);

const grid = () => service.sandbox.originals.grid().id;

test('A grid is found with the first request', async () => {
	const taskId = grid();
	const { output } = await call(taskId);
	expect(output?.json).toMatchObject([{ taskId, status: 'completed' }]);
	expect(asked()).toEqual([`/v1/tasks/${taskId}`]);
});

test('A task that seems to be music is asked for at the path of music first', async () => {
	const taskId = grid();
	const music = [{ audio_url: 'https://files.example.com/1.mp3' }];
	const { output } = await call(taskId, { result: { music } });
	expect(output?.json).toMatchObject([{ taskId, family: 'grid', status: 'completed' }]);
	expect(asked()).toEqual([`/v1/music/tasks/${taskId}`, `/v1/tasks/${taskId}`]);
});

test('A task that no path knows is unknown', async () => {
	const message = 'the service does not know the task';
	expect(await call('task_of_somebody_else')).toEqual({ status: 503, message });
	const paths = TASK_FAMILIES.map((family) => FAMILIES[family].queryPath);
	expect(asked()).toEqual(
		[...new Set(paths)].map((path) => taskPath(path, 'task_of_somebody_else')),
	);
});

test.each<FaultRuleInput['effect']>([{ type: 'status', status: 502 }, { type: 'reset' }])(
	'A service that cannot answer is not one that does not know the task: %j',
	async (effect) => {
		const taskId = grid();
		service.sandbox.faults.add({ match: { method: 'GET' }, effect });
		const { status, message, output } = await call(taskId);
		expect({ status, output }).toEqual({ status: 503, output: undefined });
		expect(message).not.toContain('does not know');
		expect(asked()).toHaveLength(1);
		expect((await call(taskId)).output?.json).toMatchObject([{ taskId, status: 'completed' }]);
	},
);

test('A song is found where only music is: its family is known, though it has failed and shows none', async () => {
	const { id: taskId } = service.sandbox.originals.track({ state: 'failed' });
	const { output } = await call(taskId);
	expect(output?.json).toMatchObject([{ taskId, family: 'music', status: 'failed' }]);
	expect(asked()).toEqual([`/v1/tasks/${taskId}`, `/v1/music/tasks/${taskId}`]);
});
