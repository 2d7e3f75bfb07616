import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { type PreparedItem, refuseSameRequests } from '../../../../nodes/shared/tasks/prepare';

const ITEMS = 5_000;

test('each request is read once, however many items there are', () => {
	let read = 0;
	const counted = { toJSON: () => ++read && 'the same' };
	const input = Array.from({ length: ITEMS }, (): INodeExecutionData => ({
		json: { taskId: 'task_1', kind: 'image', url: 'https://example.com/1.png' },
	}));
	const context = {
		getInputData: () => input,
		getNode: () => ({ name: 'Vary' }),
	} as unknown as IExecuteFunctions;
	const items = input.map((_, itemIndex): PreparedItem => {
		const body = { counted, pair: Math.floor(itemIndex / 2) };
		return {
			itemIndex,
			body,
			target: { path: '/v1/x', body },
			webhook: undefined,
			notes: [],
			options: {},
			existingTaskId: undefined,
		};
	});
	const refused = refuseSameRequests(context, items);
	expect(read).toBe(ITEMS);
	expect(refused.filter((item) => 'error' in item)).toHaveLength(ITEMS);
	expect(refused[ITEMS - 1]).toMatchObject({
		itemIndex: ITEMS - 1,
		error: {
			message: expect.stringContaining('bought 2 times, for 2 files of task task_1') as string,
		},
	});
});
