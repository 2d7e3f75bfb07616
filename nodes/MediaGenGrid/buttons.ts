import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { taskPath } from '../shared/api/family';
import { gridRecord, readTaskRecord } from '../shared/api/records';
import { createClient } from '../shared/api/client';
import { asNodeError } from '../shared/n8n/nodeErrors';
import { z } from '../shared/util/vendor/zod';

const word = z.string().min(1).optional().catch(undefined);

/** A button has a custom identifier; how the record calls it, and its label, is not shown (spec, Grid-image task). */
const button = z.object({
	custom_id: word,
	customId: word,
	id: word,
	label: word,
	name: word,
	emoji: word,
});

/** The follow-up operations that a grid task offers, as a list: the label to read, the identifier to send. */
export function buttonOptions(record: unknown): INodePropertyOptions[] {
	const grid = gridRecord.safeParse(readTaskRecord(record));
	return (grid.data?.buttons ?? []).flatMap((given) => {
		const read = button.parse(given);
		const value = read.custom_id ?? read.customId ?? read.id;
		if (value === undefined) return [];
		const name = [read.emoji, read.label ?? read.name].filter(Boolean).join(' ');
		return [{ name: name === '' ? value : name, value, description: value }];
	});
}

const NO_TASK_YET =
	'Run the node before this one, so that the expression in "Task ID" has a value, or write a task ID there. A button can also be typed, as an expression.';

/** The list of "Button": read from the task that "Task ID" names. Throws n8n errors that say how to get it. */
export async function loadButtons(context: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	const taskId = context.getCurrentNodeParameter('taskId');
	if (typeof taskId !== 'string' || taskId.trim() === '' || taskId.startsWith('=')) {
		throw new NodeOperationError(context.getNode(), 'There is no task to read the buttons from yet', {
			description: NO_TASK_YET,
		});
	}
	try {
		const client = await createClient(context);
		const path = taskPath('grid', taskId.trim());
		return buttonOptions(await client.send({ method: 'GET', path, retry: 'read' }, z.unknown()));
	} catch (error) {
		throw asNodeError(context.getNode(), error);
	}
}
