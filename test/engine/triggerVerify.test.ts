import type { IExecuteFunctions, INodeExecutionData, INodeType } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import axios from 'axios';
import { z } from 'zod/v3';

import { familyOf } from '../../nodes/MediaGenTrigger/hint';
import { findRecord } from '../../nodes/MediaGenTrigger/verify';
import type { TaskFamily } from '../../nodes/shared/api/families';
import { createClient } from '../../nodes/shared/api/client';
import { getConnection } from '../../nodes/shared/api/connection';
import { setClock } from '../../nodes/shared/util/clock';
import { runNode } from './support/engine';
import { useSandbox } from './support/sandbox';

const service = useSandbox();

// Its limit of six seconds would be a tenth of one on the sandbox's clock.
beforeAll(() => setClock(undefined));

/** A node that does nothing but ask the service for a task, as the trigger does when it is called. */
function asking(taskId: string, first: TaskFamily | undefined): INodeType {
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
			const found = await findRecord(createClient(this, await getConnection(this)), taskId, first);
			const family = found && familyOf(found.record);
			return [[{ json: { path: found?.path ?? null, family: family ?? null, status: found?.record.status ?? null } }]];
		},
	};
}

const ask = async (taskId: string, first?: TaskFamily) =>
	await runNode({ node: asking(taskId, first), parameters: {}, credential: service.credential() });

const acknowledgement = z.object({ data: z.array(z.object({ task_id: z.string() })).min(1) });

async function buy(path: string, body: object): Promise<string> {
	const { url, key } = service.sandbox;
	const response = await axios.post<unknown>(url + path, body, { headers: { authorization: `Bearer ${key}` }, proxy: false });
	const taskId = acknowledgement.parse(response.data).data[0]?.task_id ?? '';
	service.sandbox.tasks.finish(taskId);
	return taskId;
}

const picture = async () => await buy('/v1/images/generations', { model: 'imagegen-2-official', prompt: 'A lighthouse' });
const song = async () => await buy('/v1/music/generations/sounds', { task_id: 'SOURCE', gpt_description: 'waves' });

const looks = () => service.sandbox.requests.list({ method: 'GET' }).map(({ path }) => path);

test('A picture is found at the first look', async () => {
	const taskId = await picture();
	expect((await ask(taskId)).json).toEqual([{ path: 'image', family: 'image', status: 'completed' }]);
	expect(looks()).toEqual([`/v1/tasks/${taskId}`]);
});

test('A task that looks like music is asked for at the path of music first', async () => {
	const taskId = await picture();
	expect((await ask(taskId, 'music')).json).toMatchObject([{ path: 'image', status: 'completed' }]);
	expect(looks()).toEqual([`/v1/music/tasks/${taskId}`, `/v1/tasks/${taskId}`]);
});

test('A task that neither path knows is none', async () => {
	expect((await ask('task_of_somebody_else')).json).toEqual([{ path: null, family: null, status: null }]);
	expect(looks()).toEqual(['/v1/tasks/task_of_somebody_else', '/v1/music/tasks/task_of_somebody_else']);
});

test('A service that cannot answer is not taken for one that does not know the task', async () => {
	const taskId = await picture();
	service.sandbox.faults.add({ match: { method: 'GET' }, effect: { type: 'status', status: 502 } });
	const { error } = await ask(taskId);
	expect(error).toBeDefined();
	expect(looks()).toHaveLength(1);
});

test('A song is found where only music is', async () => {
	const taskId = await song();
	expect((await ask(taskId)).json).toMatchObject([{ path: 'music', family: 'music' }]);
	expect(looks()).toEqual([`/v1/tasks/${taskId}`, `/v1/music/tasks/${taskId}`]);
});
