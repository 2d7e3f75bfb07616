import axios from 'axios';
import pLimit from 'p-limit';
import { z } from 'zod/v3';
import type { Sandbox } from '../../../sandbox/service';

const acknowledgement = z.object({ data: z.array(z.object({ task_id: z.string() })).min(1) });

const PATHS = { image: '/v1/images/generations', music: '/v1/music/generations/upsampleTags' };

const PATHS_OF_RECORDS = { image: '/v1/tasks', music: '/v1/music/tasks' };

export type BuyableFamily = keyof typeof PATHS;

const BODIES: Record<BuyableFamily, object> = {
	image: { model: 'imagegen-2-official', prompt: 'A lighthouse' },
	music: { tags: 'folk' },
};

const headers = (sandbox: Sandbox) => ({ authorization: `Bearer ${sandbox.key}` });

/** Buys a task straight at the service, as another program of the user's would. */
export async function buy(
	sandbox: Sandbox,
	body: object = {},
	family: BuyableFamily = 'image',
): Promise<string> {
	const url = sandbox.url + PATHS[family];
	const response = await axios.post<unknown>(
		url,
		{ ...BODIES[family], ...body },
		{ headers: headers(sandbox), proxy: false },
	);
	return acknowledgement.parse(response.data).data[0]?.task_id ?? '';
}

/** Buys many pictures. */
export async function buyMany(sandbox: Sandbox, count: number): Promise<string[]> {
	const limit = pLimit(10);
	return await Promise.all(Array.from({ length: count }, () => limit(() => buy(sandbox))));
}

/** What the service says of a task: a callback's body is the same (spec, Events 3). */
export async function recordOf(
	sandbox: Sandbox,
	taskId: string,
	family: BuyableFamily = 'image',
): Promise<unknown> {
	const url = `${sandbox.url}${PATHS_OF_RECORDS[family]}/${taskId}`;
	return (await axios.get<unknown>(url, { headers: headers(sandbox), proxy: false })).data;
}
