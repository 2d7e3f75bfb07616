import type { INodeProperties } from 'n8n-workflow';

import { TASK_ID_PLACEHOLDER } from '../api/families';
import { fieldName, flag, integer, number, oneKeyOf, toId } from '../util/schema';
import { z } from '../util/vendor/zod';
import { type Choices, collectionOf, optionsOf, textField } from './fields';

/** A field of the panel. Its name is the key of its option. */
export type Field = Omit<INodeProperties, 'name'>;

/** Options, or other fields of a request, by name: the schema of each value, with its field. */
export type Options = Readonly<Record<string, z.ZodTypeAny & { field: Field }>>;

/** A field of a request that always has a value. */
export const inPanel = <Schema extends z.ZodTypeAny>(schema: Schema, field: Field) =>
	Object.assign(schema, { field });

/** An option that always has a value: the default of its field, unless the user sets another. */
export const preset = <Schema extends z.ZodTypeAny>(
	schema: Schema,
	field: Field & { default: z.input<Schema> },
) => inPanel(schema.default(field.default), field);

/** An option without a value until the user adds it: then the panel begins with the default of its field. */
export const ifSet = <Schema extends z.ZodTypeAny>(schema: Schema, field: Field) =>
	inPanel(schema.optional(), field);

/** The same for text, which begins empty. */
export const textIfSet = <Schema extends z.ZodTypeAny>(
	schema: Schema,
	field: Omit<Field, 'type' | 'default'>,
) => ifSet(schema, { type: 'string', default: '', ...field });

/** The same for a switch, which begins on: whoever adds it wants it. */
export const onIfSet = (field: Omit<Field, 'type' | 'default'>) =>
	ifSet(flag(), { type: 'boolean', default: true, ...field });

export const toggle = (field: Omit<Field, 'type'> & { default: boolean }) =>
	preset(flag(), { ...field, type: 'boolean' });

/** The schema and the field of a number, with the same bounds, both included. */
function numeric(
	schema: typeof number,
	[min, max]: [min: number, max?: number],
	field: Omit<Field, 'type'>,
) {
	const typeOptions = { minValue: min, maxValue: max, ...field.typeOptions };
	return [schema(min, max), { ...field, type: 'number', typeOptions }] as const;
}

export const presetNumber = (...given: Parameters<typeof numeric>) => preset(...numeric(...given));

export const numberIfSet = (...given: Parameters<typeof numeric>) => ifSet(...numeric(...given));

export const choice = <Value extends string>({
	choices,
	...field
}: Omit<Field, 'type' | 'options'> & { choices: Choices<Value>; default: NoInfer<Value> }) =>
	preset(oneKeyOf(choices), { ...field, type: 'options', options: optionsOf(choices) });

export const balanceUnit = (displayName: string) =>
	choice({
		displayName,
		choices: {
			balance: ['Balance', 'In the unit that the service is set up with'],
			credits: ['Credits'],
		},
		default: 'balance',
	});

/** The value of an option that is read for each item. A value that is not text becomes its JSON; a date without the quotes. */
export const itemText = z.unknown().transform((value) => {
	const text =
		typeof value === 'string' ? value : JSON.stringify(value ?? '').replace(/^"|"$/g, '');
	return text.trim() === '' ? undefined : text.trim();
});

/** A tool of an AI agent cannot pause, downloads nothing, and its output is short. */
const notForTools = { '@tool': [true] };

const waitMode = choice({
	displayName: 'Wait for Result',
	choices: {
		poll: ['Poll Here', 'Ask for the task every few seconds until it ends'],
		callback: [
			'Pause Until Callback',
			'The execution waits without running until the service calls back. This n8n must be reachable from the service. Once it waits, a failed task does not stop the workflow: it comes out as an item with an error. If the end is near, the node polls instead, and On Error applies.',
			{ hide: notForTools },
		],
		none: [
			"Don't Wait",
			'Continue without the result. A MediaGen Trigger, or the operation Wait of the resource Task, gets it later.',
		],
	},
	default: 'poll',
});

export const outputOptions = {
	output: choice({
		displayName: 'Output',
		choices: {
			tasks: ['One Item per Task', 'All files of a task in one item'],
			files: ['One Item per File', 'Each file of a task in an item of its own'],
		},
		default: 'tasks',
		displayOptions: { hide: notForTools },
		description: 'How the files of a task come out. The next node runs once per item.',
	}),
	downloadFiles: toggle({
		displayName: 'Download Files',
		default: true,
		displayOptions: { hide: notForTools },
		description: 'Whether to attach the files as binary data. Links at the service expire.',
	}),
};

/** The options of every operation that works on its items one by one. */
export const commonOptions = {
	concurrency: presetNumber(integer, [1, 100], {
		displayName: 'Concurrency',
		default: 5,
		description: 'How many requests run at the same time',
	}),
	includeInput: onIfSet({
		displayName: 'Include Input',
		description: 'Whether to add the JSON of the input item to the output, in the field input',
	}),
	reference: textIfSet(itemText, {
		displayName: 'Reference',
		placeholder: 'e.g. row {{ $json.row_number }}',
		description: 'Text of your own that comes back in the output',
	}),
	simplify: toggle({
		displayName: 'Simplify',
		default: true,
		description: 'Whether to return a simplified version of the response instead of the raw data',
	}),
};

/** The options of every operation that buys (design, Cost). */
export const buyingOptions = {
	checkOnly: onIfSet({
		displayName: 'Check Only',
		description:
			'Whether to check every item and return the requests that would be sent, without sending them',
	}),
	keepBalance: numberIfSet(number, [0], {
		displayName: 'Keep Balance',
		default: 0,
		description:
			'No purchase begins while less than this remains. The balance is read before each one; those that run at the same time ("Concurrency") may still take it below.',
	}),
	keepBalanceUnit: balanceUnit('Keep Balance: Unit'),
	maxTasks: numberIfSet(integer, [0], {
		displayName: 'Max Tasks',
		default: 10,
		description:
			'How many purchases this node makes at most in one execution of the workflow, in all its runs together',
	}),
	maxTasksReached: choice({
		displayName: 'Max Tasks: When Reached',
		choices: {
			returnBought: ['Return What Was Bought', 'The items beyond the limit do not come out'],
			fail: ['Fail'],
		},
		default: 'returnBought',
		displayOptions: { hide: notForTools },
		description:
			'What the node does with items beyond "Max Tasks", unless "On Error" is set to continue: then they come out as errors. Set that in a loop: a round of which nothing comes out ends it, without "Done".',
	}),
	whenUnsure: choice({
		displayName: 'If It May Have Been Bought',
		choices: {
			doNotSend: ['Do Not Send Again'],
			sendAgain: ['Send Again', 'It may be bought twice. Look at the balance first.'],
		},
		default: 'doNotSend',
		description:
			'What a further attempt in the same execution does with an item whose request got no clear answer, such as a timeout or a server error',
	}),
};

/** A list or an object, such as a lookup column's, must not count as no task. */
const oneTaskId = z.preprocess(
	toId,
	z
		.string({ invalid_type_error: 'must be the ID of one task, as text' })
		.transform((id) => (id === '' ? undefined : id)),
);

export const reuseOptions = {
	copyNumber: numberIfSet(integer, [1], {
		displayName: 'Copy Number',
		default: 1,
		description:
			'Another number gives the same request another purchaseKey, for a request that is to be bought more than once',
	}),
	existingTaskId: textIfSet(oneTaskId, {
		displayName: 'Existing Task',
		placeholder: 'e.g. {{ $json.task }}',
		description:
			'ID of the task that was bought for this item before, such as from a table with the purchaseKey. Nothing is bought then. If it is empty, or the task failed, the item is bought.',
	}),
	whenFilesAreGone: choice({
		displayName: 'Existing Task: When Files Are Gone',
		choices: { buyAgain: ['Buy Again'], fail: ['Fail'] },
		default: 'fail',
		description:
			'What happens to an item whose Existing Task the service does not know, or whose links have expired',
	}),
};

/** Seconds. */
export const DEFAULT_TIMEOUT = { poll: 600, none: 600, callback: 86_400 };

const pollInterval = presetNumber(number, [1], {
	displayName: 'Poll Interval (Seconds)',
	default: 4,
	description: 'How often to ask for a task',
});

const timeout = numberIfSet(number, [1], {
	displayName: 'Timeout (Seconds)',
	default: DEFAULT_TIMEOUT.poll,
	description: `How long to wait for a task. Default: ${DEFAULT_TIMEOUT.poll}, and a day for a paused execution. The task continues at the service: get it later with the operation Wait of the resource Task.`,
});

const pauseTimeout = { field: { ...timeout.field, default: DEFAULT_TIMEOUT.callback } };

const ofFiles = { hide: { ...notForTools, '/downloadFiles': [false] } };

export const fileOptions = {
	fileName: textIfSet(itemText, {
		displayName: 'File Name',
		placeholder: 'e.g. {{ $json.title }}',
		displayOptions: ofFiles,
		description:
			'Name of the file, without extension. Several files of a task get -2, -3 at the end; those of a grid -grid and -1 to -4; a stem its name.',
	}),
	maxDownloadSize: presetNumber(number, [1], {
		displayName: 'Max Download Size (MB)',
		default: 256,
		displayOptions: ofFiles,
		description: 'Largest size of one file',
	}),
	binaryPropertyName: preset(fieldName(), {
		displayName: 'Put Output File in Field',
		type: 'string',
		default: 'data',
		displayOptions: ofFiles,
		hint: 'The name of the output binary field to put the file in. Further files of the item get _2, _3 at the end.',
	}),
};

export const taskQueryPath = textIfSet(
	z
		.string()
		.regex(
			/^\/(?![/\\]).*\{task_id\}/,
			`must begin with one slash and contain ${TASK_ID_PLACEHOLDER}`,
		),
	{
		displayName: 'Task Query Path',
		placeholder: `e.g. /v1/jobs/${TASK_ID_PLACEHOLDER}`,
		description: `Path of a task's record, if your deployment serves it elsewhere. ${TASK_ID_PLACEHOLDER} stands for the task ID.`,
	},
);

export const runOptions = z
	.object({
		waitMode,
		...outputOptions,
		...commonOptions,
		...buyingOptions,
		...reuseOptions,
		...fileOptions,
		pollInterval,
		timeout,
		taskQueryPath,
	})
	.omit({ fileName: true, reference: true, copyNumber: true, existingTaskId: true });

/** How a node runs, once for all items: see the descriptions of the fields. */
export type RunOptions = z.infer<typeof runOptions> & { timeout: number };

export type SpendingRules = Pick<
	RunOptions,
	'checkOnly' | 'keepBalance' | 'keepBalanceUnit' | 'maxTasks' | 'maxTasksReached' | 'timeout'
>;

/** The fields of options. With `hidden`, they are not shown in these modes of "Wait for Result". */
export function fieldsOf(
	options: Readonly<Record<string, { field: Field }>>,
	...hidden: Array<RunOptions['waitMode']>
): INodeProperties[] {
	return Object.entries(options).map(([name, { field }]) => ({
		...field,
		name,
		...(hidden.length === 0
			? {}
			: { displayOptions: { hide: { ...field.displayOptions?.hide, '/waitMode': hidden } } }),
	}));
}

export const additionalBodyFieldsField: INodeProperties = {
	displayName: 'Additional Body Fields',
	name: 'additionalBodyFields',
	type: 'json',
	default: '{}',
	placeholder: 'e.g. {"seed": 7}',
	description:
		'Fields of the request that this node does not show, as a JSON object. They replace fields of the same name.',
};

export const optionsField = collectionOf('Options', 'options', 'Add option');

export const callbackFields = [
	textField({
		displayName: 'Callback Base URL',
		name: 'callbackBaseUrl',
		placeholder: 'e.g. https://n8n.example.com/webhook/…',
		displayOptions: { hide: { '/waitMode': ['callback'] } },
		description:
			'Where the service reports the end of the task. It adds /callback to this address. Copy the production URL of a MediaGen Trigger, which then gives back the "Reference" of the item.',
	}),
];

export const outputFields = fieldsOf(outputOptions);

/** Without a result there is no file. */
const afterWait = { hide: { ...notForTools, waitMode: ['none'] } };

export const waitFields = fieldsOf({
	waitMode,
	...outputOptions,
	downloadFiles: { field: { ...outputOptions.downloadFiles.field, displayOptions: afterWait } },
});

/** The options of an operation that reads a task: `waits` if it polls until the task ends. */
export function taskOptions({ waits }: { waits: boolean }): INodeProperties[] {
	return fieldsOf({
		...commonOptions,
		...(waits ? { pollInterval, timeout } : {}),
		...fileOptions,
		taskQueryPath,
	});
}

/** The options of an operation that buys a task. `makesFiles` is `false` for one that answers with text at once. */
export function purchaseOptions({ makesFiles }: { makesFiles: boolean }): INodeProperties[] {
	const common = [
		...fieldsOf({ ...commonOptions, ...buyingOptions, ...reuseOptions, taskQueryPath }),
		additionalBodyFieldsField,
	];
	if (!makesFiles) return common;
	return [
		...common,
		...fieldsOf({ pollInterval }, 'callback', 'none'),
		...fieldsOf({ timeout }, 'callback', 'none'),
		...fieldsOf({ timeout: pauseTimeout }, 'poll', 'none'),
		...fieldsOf(fileOptions, 'none'),
		...callbackFields,
	];
}

export const resultOptions = { ...fileOptions, simplify: commonOptions.simplify, taskQueryPath };
