import type { IDataObject, Logger } from 'n8n-workflow';

import { countCost } from '../../../../nodes/shared/report/customData';
import type { TaskItem } from '../../../../nodes/shared/output/items';
import { submittedTask } from '../../../../nodes/shared/output/task';
import { nodeOf } from '../../../support/node';

function ended(taskId: string): TaskItem {
	const task = {
		...submittedTask({ taskId, family: 'image', operation: 'generate' }),
		status: 'completed' as const,
		cost: 0.1,
	};
	return { itemIndex: 0, state: 'accepted', taskId, task, record: {}, notes: [], options: {} };
}

function execution() {
	const flow: IDataObject = {};
	const written: Record<string, string> = {};
	const logger: Logger = { error() {}, warn() {}, info() {}, debug() {} };
	const context = {
		logger,
		customData: {
			getAll: () => ({ ...written }),
			setAll: (values: Record<string, string>) => Object.assign(written, values),
		},
		evaluateExpression: () => undefined,
		getContext: () => flow,
		getInputData: () => [],
		getExecuteData: () => ({ data: {}, node: nodeOf('Image'), source: null }),
		setMetadata: () => {},
	};
	return { context, written, remembered: () => JSON.stringify(flow).match(/task_\d+/g)?.length };
}

test('an execution of 25,000 tasks remembers at most 10,000 of them, and counts each once', () => {
	const { context, written, remembered } = execution();
	for (let run = 0; run < 25; run++) {
		const outcomes = Array.from({ length: 1_000 }, (_, at) => ended(`task_${run * 1_000 + at}`));
		countCost(context, outcomes, 'bought');
		countCost(context, outcomes, 'read');
	}
	expect(written.mediagen_tasks).toBe('25000');
	expect(written.mediagen_cost).toBe('2500');
	expect(remembered()).toBeLessThanOrEqual(10_000);
});

test('6,000 tasks that are bought first, and end later, count once each', () => {
	const { context, written } = execution();
	const outcomes = Array.from({ length: 6_000 }, (_, at) => ended(`task_${at}`));
	const running = outcomes.map((outcome) => ({ ...outcome, record: undefined }));
	countCost(context, running, 'bought');
	countCost(context, outcomes, 'read');
	expect(written).toMatchObject({ mediagen_tasks: '6000', mediagen_cost: '600' });
});
