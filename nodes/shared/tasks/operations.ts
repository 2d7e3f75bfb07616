import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import type { TaskFamily } from '../api/family';
import { ServiceFault } from '../api/faults';
import { runOptionsField } from '../n8n/options';
import type { Operation, Resource } from '../n8n/describe';
import { submittedTask } from '../output/task';
import { toNodeApiError } from '../n8n/nodeErrors';
import { awaitTasks } from './poll';
import { finish } from './finish';
import { isTaken, type Outcome, type TakenOutcome } from './outcome';
import { lookAt, openRun, readAs, type Run } from './run';

const TASK: Resource = { name: 'Task', value: 'task' };

const taskIdField: INodeProperties = {
	displayName: 'Task ID',
	name: 'taskId',
	type: 'string',
	required: true,
	default: '={{ $json.taskId ?? $json.error?.taskId }}',
	description: 'The task to look at. Every output of a MediaGen node carries it, that of an error branch too.',
};

function namedTask(run: Run, itemIndex: number): Outcome {
	const given: unknown = run.context.getNodeParameter('taskId', itemIndex, '');
	const taskId = typeof given === 'string' || typeof given === 'number' ? String(given).trim() : '';
	if (taskId !== '') {
		const origin = { taskId, family: run.family, operation: run.operation };
		return { itemIndex, taskId, read: { task: submittedTask(origin) } };
	}
	return {
		itemIndex,
		error: new NodeOperationError(
			run.context.getNode(),
			`"${taskIdField.displayName}" is required [item ${itemIndex}]`,
			{ itemIndex },
		),
	};
}

async function look(run: Run, outcome: TakenOutcome): Promise<Outcome> {
	const answer = await lookAt(run, outcome.taskId, 'read')();
	if (!(answer instanceof ServiceFault)) return { ...outcome, read: readAs(run, outcome.taskId, answer) };
	const error = toNodeApiError(run.context.getNode(), answer, { itemIndex: outcome.itemIndex });
	return { ...outcome, error };
}

async function openTasks(context: IExecuteFunctions, family: TaskFamily, operation: string) {
	const run = await openRun(context, family, operation);
	return { run, named: context.getInputData().map((_, itemIndex) => namedTask(run, itemIndex)) };
}

async function get(context: IExecuteFunctions, family: TaskFamily): Promise<INodeExecutionData[][]> {
	const { run, named } = await openTasks(context, family, 'get');
	const outcomes = await Promise.all(
		named.map(async (outcome) => (isTaken(outcome) ? await look(run, outcome) : outcome)),
	);
	return await finish(run, outcomes);
}

async function wait(context: IExecuteFunctions, family: TaskFamily): Promise<INodeExecutionData[][]> {
	const { run, named } = await openTasks(context, family, 'wait');
	return await finish(run, await awaitTasks(run, named));
}

/** The resource "Task" of a family: look at a task that has been submitted before, or wait for it. */
export function taskOperations(family: TaskFamily): Operation[] {
	const namesPath = family === 'video';
	return [
		{
			resource: TASK,
			name: 'Get',
			value: 'get',
			action: 'Get a task',
			description: 'Look at a task once, in whatever state it is',
			fields: [taskIdField, runOptionsField({ waits: false, submits: false, namesPath })],
			execute: async (context) => await get(context, family),
		},
		{
			resource: TASK,
			name: 'Wait',
			value: 'wait',
			action: 'Wait for a task',
			description: 'Wait until a task has ended and return its results',
			fields: [taskIdField, runOptionsField({ waits: true, submits: false, namesPath })],
			execute: async (context) => await wait(context, family),
		},
	];
}
