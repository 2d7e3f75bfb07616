import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { openClient } from '../shared/api/client';
import { FAMILIES, taskPath } from '../shared/api/families';
import type { TaskRecord } from '../shared/api/records';
import { asNodeError } from '../shared/n8n/nodeErrors';
import { taskQueryPath } from '../shared/n8n/options';
import { isObject } from '../shared/util/json';
import { taskId } from '../shared/util/schema';
import { z } from '../shared/util/vendor/zod';

const word = z.string().min(1).optional().catch(undefined);

/** A button has a custom identifier. The record's name for it and its label are not shown (spec, Grid-image task): it may stand alone. */
const button = z.preprocess(
	(given) => (isObject(given) ? given : { id: given }),
	z.object({ custom_id: word, customId: word, id: word, label: word, name: word, emoji: word }),
);

const buttons = z.array(button).catch([]);

const VARIATION = /variation|vary|::low_variation::|::high_variation::/i;

/** Matches the buttons of an operation (spec §4). Where a task has such buttons, the others are left out. */
const FITTING: Record<string, RegExp> = {
	reroll: /::reroll::|re-?roll|🔄/i,
	variation: VARIATION,
	lowVariation: VARIATION,
};

/** The follow-up operations that a grid task offers: the label to read, the identifier to send. */
export function buttonOptions({ raw }: TaskRecord, operation?: unknown): INodePropertyOptions[] {
	const all = buttons.parse(raw.buttons).flatMap((given) => {
		const value = given.custom_id ?? given.customId ?? given.id;
		if (value === undefined) return [];
		const name = [given.emoji, given.label ?? given.name].filter(Boolean).join(' ');
		return [{ name: name === '' ? value : name, value, description: value }];
	});
	const pattern = FITTING[String(operation)];
	const fitting = all.filter(({ name, value }) => pattern?.test(`${name} ${value}`));
	return fitting.length > 0 ? fitting : all;
}

/** Notes on a button that a parent's record does not have for an operation: the service makes, and bills, what the button says. */
export function buttonNotes(
	{ custom_id: id }: Record<string, unknown>,
	record: TaskRecord | undefined,
	operation: string,
): string[] {
	const known = record && id !== undefined ? buttonOptions(record, operation) : [];
	return known.length === 0 || known.some(({ value }) => value === String(id))
		? []
		: [`The task has no button "${String(id)}" for this operation: it is sent as it is`];
}

/** The list shows the message only. */
const NO_TASK_YET =
	'There is no task to read the buttons from yet: run the node before this one, or enter a task ID';

/** The list of "Button": read from the task that "Task ID" names. Throws n8n errors that say how to get it. */
export async function getButtons(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	const id = taskId().safeParse(this.getCurrentNodeParameter('taskId'));
	if (!id.success || id.data.startsWith('=')) {
		throw new NodeOperationError(this.getNode(), NO_TASK_YET, {
			description: 'A button can also be entered as an expression.',
		});
	}
	try {
		const client = await openClient(this);
		const given = this.getCurrentNodeParameter('options.taskQueryPath');
		const path = taskPath(taskQueryPath.safeParse(given).data ?? FAMILIES.grid.queryPath, id.data);
		const record = await client.tasks.retrieve(path, { retry: 'read' });
		return buttonOptions(record, this.getCurrentNodeParameter('operation'));
	} catch (error) {
		throw asNodeError(this.getNode(), error);
	}
}
