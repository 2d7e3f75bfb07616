import axios from 'axios';
import pLimit from 'p-limit';
import { z } from 'zod/v3';
import type { Sandbox } from '../../../sandbox/service';
import { MODEL } from '../support/nodes';

const acknowledgement = z.object({ data: z.array(z.object({ task_id: z.string() })).min(1) });

const as = ({ key }: Sandbox) =>
	({ headers: { authorization: `Bearer ${key}` }, proxy: false }) as const;

/** Buys a picture straight at the service, as another program of the user's would. */
export async function buy(sandbox: Sandbox, given: object = {}): Promise<string> {
	const url = `${sandbox.url}/v1/images/generations`;
	const body = { model: MODEL, prompt: 'A lighthouse', ...given };
	const { data } = await axios.post<unknown>(url, body, as(sandbox));
	return acknowledgement.parse(data).data[0]?.task_id ?? '';
}

/** Buys many pictures. */
export async function buyMany(sandbox: Sandbox, count: number): Promise<string[]> {
	const limit = pLimit(10);
	return await Promise.all(Array.from({ length: count }, () => limit(() => buy(sandbox))));
}

/** What the service says of a task: a callback's body is the same (spec, Events 3). */
export async function recordOf(sandbox: Sandbox, taskId: string): Promise<unknown> {
	return (await axios.get<unknown>(`${sandbox.url}/v1/tasks/${taskId}`, as(sandbox))).data;
}
