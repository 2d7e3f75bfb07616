import type { IDataObject, IExecuteFunctions, INode, INodeProperties } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { TASK_ID_PLACEHOLDER } from '../api/families';
import { BALANCE_UNITS, type BalanceUnit } from '../api/records';
import { isObject } from '../util/json';
import { flag, integer, number, oneOf, text } from '../util/schema';
import { z } from '../util/vendor/zod';
import { byLabel } from './fields';

export const WAIT_MODES = ['poll', 'callback', 'none'] as const;

export type WaitMode = (typeof WAIT_MODES)[number];

export const waitModeField: INodeProperties = {
	displayName: 'Wait for Result',
	name: 'waitMode',
	type: 'options',
	options: [
		{
			name: 'Poll Here',
			value: 'poll',
			description: 'Ask for the task every few seconds until it ends',
		},
		{
			name: 'Pause Until Callback',
			value: 'callback',
			description:
				'The execution waits without running until the service calls back. This n8n must be reachable from the service.',
		},
		{
			name: "Don't Wait",
			value: 'none',
			description:
				'Continue without the result. A MediaGen Trigger, or the operation Wait of the resource Task, gets it later.',
		},
	],
	default: 'poll',
};

const OUTPUTS = ['tasks', 'files'] as const;

/** A tool of an AI agent downloads nothing, and its output is short. */
const notForTools = { '@tool': [true] };

export const outputField: INodeProperties = {
	displayName: 'Output',
	name: 'output',
	type: 'options',
	options: [
		{ name: 'One Item per Task', value: 'tasks', description: 'All files of a task in one item' },
		{
			name: 'One Item per File',
			value: 'files',
			description: 'Each file of a task in an item of its own',
		},
	],
	default: 'tasks',
	displayOptions: { hide: notForTools },
	description:
		'Whether the files of a task come out together. A node behind this one runs once per item.',
};

export const downloadFilesField: INodeProperties = {
	displayName: 'Download Files',
	name: 'downloadFiles',
	type: 'boolean',
	default: true,
	displayOptions: { hide: notForTools },
	description: 'Whether to attach the files as binary data. Links at the service expire.',
};

/** For operations with "Wait for Result": without a result there is no file. */
export const downloadFilesAfterWaitField: INodeProperties = {
	...downloadFilesField,
	displayOptions: { hide: { ...notForTools, waitMode: ['none'] } },
};

export const additionalBodyFieldsField: INodeProperties = {
	displayName: 'Additional Body Fields',
	name: 'additionalBodyFields',
	type: 'json',
	default: '{}',
	placeholder: 'e.g. {"seed": 7}',
	description:
		'Fields of the request that this node does not show, as a JSON object. They replace fields of the same name.',
};

export const simplifyField: INodeProperties = {
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
};

export const concurrencyOption: INodeProperties = {
	displayName: 'Concurrency',
	name: 'concurrency',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 100 },
	default: 5,
	description: 'How many requests run at the same time',
};

export const concurrencySchema = integer(1, 100).default(5);

const UNSURE = ['doNotSend', 'sendAgain'] as const;

export const whenUnsureOption: INodeProperties = {
	displayName: 'If It May Have Been Bought',
	name: 'whenUnsure',
	type: 'options',
	options: [
		{ name: 'Do Not Send Again', value: 'doNotSend' },
		{
			name: 'Send Again',
			value: 'sendAgain',
			description: 'It may be bought twice. Look at the balance first.',
		},
	],
	default: 'doNotSend',
	description:
		'What a further attempt in the same execution does with an item whose request got no clear answer, such as a timeout or a server error',
};

export const whenUnsureSchema = oneOf(UNSURE).default('doNotSend');

export type WhenUnsure = (typeof UNSURE)[number];

const AT_MAX_TASKS = ['returnBought', 'fail'] as const;

/** The options that limit what a node buys (design, Cost). */
export const spendingOptions: INodeProperties[] = [
	{
		displayName: 'Check Only',
		name: 'checkOnly',
		type: 'boolean',
		default: false,
		description:
			'Whether to check every item and return the requests that would be sent, without sending them',
	},
	{
		displayName: 'Keep Balance',
		name: 'keepBalance',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 0,
		description:
			'Nothing is bought while less than this remains. The balance is read before each purchase.',
	},
	{
		displayName: 'Keep Balance: Unit',
		name: 'keepBalanceUnit',
		type: 'options',
		options: [
			{
				name: 'Balance',
				value: 'balance',
				description: 'In the unit that the service is set up with',
			},
			{ name: 'Credits', value: 'credits' },
		],
		default: 'balance',
	},
	{
		displayName: 'Max Tasks',
		name: 'maxTasks',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 10,
		description:
			'How many purchases this node makes at most in one execution of the workflow, in all its runs together',
	},
	{
		displayName: 'Max Tasks: When Reached',
		name: 'maxTasksReached',
		type: 'options',
		options: [
			{
				name: 'Return What Was Bought',
				value: 'returnBought',
				description: 'The items beyond the limit do not come out',
			},
			{ name: 'Fail', value: 'fail' },
		],
		default: 'returnBought',
		description:
			'What the node does with items beyond "Max Tasks", unless "On Error" is set to continue: then they come out as errors',
	},
];

export const spendingSchema = {
	checkOnly: flag().default(false),
	keepBalance: number(0).optional(),
	keepBalanceUnit: oneOf(BALANCE_UNITS).default('balance'),
	maxTasks: integer(0).optional(),
	maxTasksReached: oneOf(AT_MAX_TASKS).default('returnBought'),
};

export type SpendingRules = {
	keepBalance?: number;
	keepBalanceUnit: BalanceUnit;
	maxTasks?: number;
	maxTasksReached: (typeof AT_MAX_TASKS)[number];
};

const pollIntervalOption: INodeProperties = {
	displayName: 'Poll Interval (Seconds)',
	name: 'pollInterval',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 4,
	description: 'How often to ask for a task',
};

const timeoutOption: INodeProperties = {
	displayName: 'Timeout (Seconds)',
	name: 'timeout',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 600,
	description:
		'How long to wait for a task. Default: 600, and 86,400 for a paused execution. The task continues at the service: get it later with the operation Wait of the resource Task.',
};

export const callbackOption: INodeProperties = {
	displayName: 'Callback Base URL',
	name: 'callbackBaseUrl',
	type: 'string',
	default: '',
	placeholder: 'e.g. https://n8n.example.com/webhook/…',
	description:
		'Where the service reports the end of the task. It adds /callback to this address. Copy the base address from a MediaGen Trigger, which then gives back the "Reference" of the item.',
};

const resultFileOptions: INodeProperties[] = [
	{
		displayName: 'File Name',
		name: 'fileName',
		type: 'string',
		default: '',
		placeholder: 'e.g. {{ $json.title }}',
		description:
			'Name of the file, without extension. Several files of a task get -2, -3 behind it.',
	},
	{
		displayName: 'Max Download Size (MB)',
		name: 'maxDownloadSize',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 256,
		description: 'Largest size of one file',
	},
	{
		displayName: 'Put Output File in Field',
		name: 'binaryPropertyName',
		type: 'string',
		default: 'data',
		hint: 'The name of the output binary field to put the file in. Further files of the item get _2, _3 behind it.',
	},
];

export const includeInputOption: INodeProperties = {
	displayName: 'Include Input',
	name: 'includeInput',
	type: 'boolean',
	default: false,
	description: 'Whether to add the JSON of the input item to the output, in the field input',
};

export const referenceOption: INodeProperties = {
	displayName: 'Reference',
	name: 'reference',
	type: 'string',
	default: '',
	placeholder: 'e.g. row {{ $json.row_number }}',
	description: 'Text of your own that comes back in the output',
};

const taskQueryPathOption: INodeProperties = {
	displayName: 'Task Query Path',
	name: 'taskQueryPath',
	type: 'string',
	default: '',
	placeholder: `e.g. /v1/videos/${TASK_ID_PLACEHOLDER}`,
	description: `Path of a task's record, if your deployment serves it elsewhere. ${TASK_ID_PLACEHOLDER} stands for the task ID.`,
};

/** The collection "Options", in alphabetical order. */
export function optionsField(options: readonly INodeProperties[]): INodeProperties {
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: [...options].sort(byLabel),
	};
}

const shownWhileWaiting = (option: INodeProperties, ...hidden: WaitMode[]): INodeProperties => ({
	...option,
	displayOptions: { hide: { '/waitMode': hidden } },
});

/** The options of an operation that reads a task: `waits` if it polls until the task ends. */
export function taskOptions({ waits }: { waits: boolean }): INodeProperties[] {
	return [
		concurrencyOption,
		...(waits ? [pollIntervalOption, timeoutOption] : []),
		...resultFileOptions,
		includeInputOption,
		referenceOption,
		simplifyField,
		taskQueryPathOption,
	];
}

/** The options of an operation that buys a task. `makesFiles` is `false` for one that answers with text at once. */
export function purchaseOptions({ makesFiles }: { makesFiles: boolean }): INodeProperties[] {
	const common = [
		concurrencyOption,
		includeInputOption,
		referenceOption,
		simplifyField,
		whenUnsureOption,
		taskQueryPathOption,
		...spendingOptions,
	];
	if (!makesFiles) return common;
	return [
		...common,
		shownWhileWaiting(pollIntervalOption, 'callback', 'none'),
		shownWhileWaiting(timeoutOption, 'none'),
		shownWhileWaiting(callbackOption, 'callback'),
		...resultFileOptions.map((option) => shownWhileWaiting(option, 'none')),
	];
}

/** The options of the trigger that concern results. */
export const triggerResultOptions: readonly INodeProperties[] = [
	...resultFileOptions,
	simplifyField,
	taskQueryPathOption,
];

const ALL_OPTIONS = optionsField([
	...purchaseOptions({ makesFiles: true }),
	...taskOptions({ waits: true }),
]);

const DEFAULT_TIMEOUT_S: Record<WaitMode, number> = { poll: 600, none: 600, callback: 86_400 };

const runOptions = z.object({
	waitMode: oneOf(WAIT_MODES).default('poll'),
	output: oneOf(OUTPUTS).default('tasks'),
	downloadFiles: flag().default(true),
	concurrency: concurrencySchema,
	/** Seconds. */
	pollInterval: number(1).default(4),
	/** Seconds. */
	timeout: number(1).optional(),
	/** Megabytes. */
	maxDownloadSize: number(1).default(256),
	binaryPropertyName: text().default('data'),
	includeInput: flag().default(false),
	simplify: flag().default(true),
	whenUnsure: whenUnsureSchema,
	...spendingSchema,
	taskQueryPath: z
		.string()
		.regex(/^\/.*\{task_id\}/, `must begin with a slash and contain ${TASK_ID_PLACEHOLDER}`)
		.optional(),
});

/** How a node runs, once for all items: see the descriptions of the fields. */
export type RunOptions = Omit<z.infer<typeof runOptions>, 'timeout'> & { timeout: number };

/** The part of an n8n context that reads parameters. A webhook's context takes no item index. */
export interface ParameterSource {
	getNode(): INode;
	getParameter(name: string): unknown;
}

/** Whether n8n runs the node as a tool of an AI agent: such a node has a type of its own. */
export function isTool(node: INode): boolean {
	return node.type.endsWith('Tool');
}

const isGiven = (value: unknown) => value !== '' && value !== null && value !== undefined;

/** Reads and checks options by a schema. Throws a `NodeOperationError` that names the option. */
export function parseOptions<Options>(
	node: INode,
	schema: z.ZodType<Options, z.ZodTypeDef, unknown>,
	given: Record<string, unknown>,
	fields: readonly INodeProperties[],
): Options {
	const read = schema.safeParse(
		Object.fromEntries(Object.entries(given).filter(([, value]) => isGiven(value))),
	);
	if (read.success) return read.data;
	const [issue] = read.error.issues;
	const name = String(issue?.path[0] ?? 'options');
	const inside = fields.flatMap((field) => [field, ...(field.options ?? [])]);
	const field = inside.find((each) => each.name === name);
	const label = field && 'displayName' in field ? field.displayName : name;
	throw new NodeOperationError(node, `"${label}" ${issue?.message ?? 'is not valid'}`, {
		description: 'Nothing was sent to the service.',
	});
}

/** Reads the options of a node that deals with tasks. Throws a `NodeOperationError` that names the option. */
export function readRunOptions(source: ParameterSource): RunOptions {
	const node = source.getNode();
	const collection = source.getParameter('options');
	const given = {
		...(isObject(collection) ? collection : {}),
		waitMode: source.getParameter('waitMode'),
		output: source.getParameter('output'),
		downloadFiles: source.getParameter('downloadFiles'),
	};
	const fields = [waitModeField, outputField, downloadFilesField, ALL_OPTIONS];
	const options = parseOptions(node, runOptions, given, fields);
	return {
		...options,
		downloadFiles: options.downloadFiles && options.waitMode !== 'none' && !isTool(node),
		timeout: options.timeout ?? DEFAULT_TIMEOUT_S[options.waitMode],
	};
}

/** What an item's own options say: see "File Name", "Reference" and "Include Input". */
export interface ItemOptions {
	fileName?: string;
	reference?: string;
	/** At the trigger: whether a node with the same API key wrote the reference into the address. */
	referenceVerified?: boolean;
	/** JSON of the input item, where it is to come out. */
	input?: IDataObject;
}

const ownText = z
	.unknown()
	.transform((value) =>
		typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '',
	)
	.transform((value) => (value === '' ? undefined : value));

const itemOptions = z.object({ fileName: ownText, reference: ownText }).catch({});

/** Reads the options that differ from item to item. */
export function readItemOptions(collection: unknown, input: IDataObject | undefined): ItemOptions {
	const { fileName, reference } = itemOptions.parse(collection);
	return {
		...(fileName === undefined ? {} : { fileName }),
		...(reference === undefined ? {} : { reference }),
		...(input === undefined ? {} : { input }),
	};
}

/** The options of an item that failed before they were read, as far as they can be read. */
export function optionsOfFailedItem(context: IExecuteFunctions, itemIndex: number): ItemOptions {
	const json = context.getInputData()[itemIndex]?.json;
	try {
		const collection: unknown = context.getNodeParameter('options', itemIndex, {});
		const includeInput = isObject(collection) && flag().catch(false).parse(collection.includeInput);
		return readItemOptions(collection, includeInput ? json : undefined);
	} catch {
		// An expression that fails is told by the item's own error, or does not matter to it.
		return {};
	}
}
