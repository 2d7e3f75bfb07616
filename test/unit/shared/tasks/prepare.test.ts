import type { INode, INodeExecutionData } from 'n8n-workflow';

import { type ReadyTask, refuseFiles } from '../../../../nodes/shared/tasks/prepare';

const ITEMS = 5_000;

test('each item is read once, however many there are', () => {
	let read = 0;
	const json = { taskId: 'task_1', kind: 'image', url: 'https://example.com/1.png' };
	const input = Array.from({ length: ITEMS }, (): INodeExecutionData => ({
		get json() {
			read++;
			return json;
		},
	}));
	const node: INode = {
		...{ id: '1', name: 'Vary', type: 'mediaGenGrid', typeVersion: 1 },
		...{ position: [0, 0], parameters: {} },
	};
	const items = input.map((_, itemIndex): ReadyTask => {
		const body = { pair: Math.floor(itemIndex / 2) };
		return {
			itemIndex,
			state: 'ready',
			body,
			target: { path: '/v1/x', body },
			purchase: { itemIndex, operation: 'image.generate', path: '/v1/x', body },
			notes: [],
			options: { purchaseKey: `key of ${body.pair}` },
		};
	});
	const refused = refuseFiles(node, undefined, input, items);
	expect(read).toBe(ITEMS);
	expect(refused.filter((item) => 'error' in item)).toHaveLength(ITEMS);
	expect(refused[ITEMS - 1]).toMatchObject({
		itemIndex: ITEMS - 1,
		error: {
			message: expect.stringContaining('bought 2 times, for 2 files of task task_1') as string,
		},
	});
});
