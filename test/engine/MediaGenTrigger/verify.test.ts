import type { IExecuteFunctions, INodeExecutionData, INodeType } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import axios from 'axios';
import { z } from 'zod/v3';

import { retrieveTask } from '../../../nodes/MediaGenTrigger/verify';
import { createClient } from '../../../nodes/shared/api/client';
import { getConnection } from '../../../nodes/shared/api/connection';
import {
	FAMILIES,
	TASK_FAMILIES,
	type TaskFamily,
	taskPath,
} from '../../../nodes/shared/api/families';
import { runNode } from '../support/engine';
import { useSandbox } from '../support/sandbox';

const service = useSandbox();

/** A node that only asks the service for a task, as the trigger does for each callback. */
function asking(taskId: string, hint: TaskFamily | null): INodeType {
	return {
		description: {
			displayName: 'Asking',
			name: 'asking',
			group: ['input'],
			version: 1,
			description: 'Asks for a task',
			defaults: { name: 'Asking' },
			inputs: [NodeConnectionTypes.Main],
			outputs: [NodeConnectionTypes.Main],
			credentials: [{ name: 'mediaGenApi', required: true }],
			properties: [],
		},
		async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
			const found = await retrieveTask(createClient(this, await getConnection(this)), taskId, {
				hint,
			});
			return [
				[
					{
						json:
							typeof found === 'string'
								? { found }
								: { owner: found.owner, status: found.record.status },
					},
				],
			];
		},
	};
}

const ask = async (taskId: string, hint: TaskFamily | null = null) =>
	await runNode({
		node: asking(taskId, hint),
		parameters: {},
		credential: service.credential(),
	});

const acknowledgement = z.object({ data: z.array(z.object({ task_id: z.string() })).min(1) });

async function buy(path: string, body: object): Promise<string> {
	const { url, key } = service.sandbox;
	const response = await axios.post<unknown>(url + path, body, {
		headers: { authorization: `Bearer ${key}` },
		proxy: false,
	});
	const taskId = acknowledgement.parse(response.data).data[0]?.task_id ?? '';
	service.sandbox.tasks.finish(taskId);
	return taskId;
}

const picture = async () =>
	await buy('/v1/images/generations', { model: 'imagegen-2-official', prompt: 'A lighthouse' });
const song = async () =>
	await buy('/v1/music/generations/sounds', { task_id: 'SOURCE', gpt_description: 'waves' });

const requests = () => service.sandbox.requests.list({ method: 'GET' }).map(({ path }) => path);

test('A picture is found with the first request', async () => {
	const taskId = await picture();
	expect((await ask(taskId)).json).toEqual([{ owner: null, status: 'completed' }]);
	expect(requests()).toEqual([`/v1/tasks/${taskId}`]);
});

test('A task that seems to be music is asked for at the path of music first', async () => {
	const taskId = await picture();
	expect((await ask(taskId, 'music')).json).toMatchObject([{ owner: null, status: 'completed' }]);
	expect(requests()).toEqual([`/v1/music/tasks/${taskId}`, `/v1/tasks/${taskId}`]);
});

test('A task that no path knows is unknown', async () => {
	expect((await ask('task_of_somebody_else')).json).toEqual([{ found: 'unknown' }]);
	const paths = TASK_FAMILIES.map((family) => FAMILIES[family].queryPath);
	expect(requests()).toEqual(
		[...new Set(paths)].map((path) => taskPath(path, 'task_of_somebody_else')),
	);
});

test('A service that cannot answer is not one that does not know the task', async () => {
	const taskId = await picture();
	service.sandbox.faults.add({ match: { method: 'GET' }, effect: { type: 'status', status: 502 } });
	const { error } = await ask(taskId);
	expect(error).toBeDefined();
	expect(requests()).toHaveLength(1);
});

test('A song is found where only music is', async () => {
	const taskId = await song();
	expect((await ask(taskId)).json).toMatchObject([{ owner: 'music' }]);
	expect(requests()).toEqual([`/v1/tasks/${taskId}`, `/v1/music/tasks/${taskId}`]);
});
