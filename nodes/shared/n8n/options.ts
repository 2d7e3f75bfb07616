import type { IExecuteFunctions, INode, INodeProperties } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { flag, integer, number, oneOf, text, webUrl } from '../util/schema';
import { z } from '../util/vendor/zod';
import { concurrencyOption, simplifyOption } from './commonOptions';
import { displayNameOf } from './names';

export const WAIT_MODES = ['poll', 'callback', 'none'] as const;

export type WaitMode = (typeof WAIT_MODES)[number];

export const waitModeField: INodeProperties = {
	displayName: 'When Submitted',
	name: 'waitMode',
	type: 'options',
	options: [
		{
			name: 'Wait Here for the Result',
			value: 'poll',
			description: 'Ask the service every few seconds until the task has ended',
		},
		{
			name: 'Pause Until the Service Calls Back',
			value: 'callback',
			description:
				'Park the execution until the task has ended: nothing runs meanwhile. This n8n must be reachable for the service.',
		},
		{
			name: 'Return the Task at Once',
			value: 'none',
			description: 'Go on without the result: a MediaGen Trigger, or the operation Wait, takes it from there',
		},
	],
	default: 'poll',
};

const pollOptions: INodeProperties[] = [
	{
		displayName: 'Poll Interval',
		name: 'pollInterval',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 4,
		description: 'Seconds between two looks at a task',
	},
	{
		displayName: 'Timeout',
		name: 'timeout',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 600,
		description:
			'Seconds after which the node stops waiting. The task goes on at the service: its ID is in the message, to be picked up with the operation Wait. A paused execution wakes on n8n\'s tick of one minute, and its items then say "submitted".',
	},
];

const callbackOption: INodeProperties = {
	displayName: 'Callback Base URL',
	name: 'callbackBaseUrl',
	type: 'string',
	default: '',
	placeholder: 'e.g. https://n8n.example.com/webhook/…',
	displayOptions: { hide: { '/waitMode': ['callback'] } },
	description:
		'Where the service shall report that the task has ended. It adds /callback to this address: copy the base address from a MediaGen Trigger.',
};

const fileOptions: INodeProperties[] = [
	{
		displayName: 'Download Results',
		name: 'downloadResults',
		type: 'boolean',
		default: false,
		description: 'Whether to attach each result file as binary data. Links at the service expire.',
	},
	{
		displayName: 'Max Download Size',
		name: 'maxDownloadSize',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 512,
		displayOptions: { show: { downloadResults: [true] } },
		description: 'Megabytes that one result file may have at most',
	},
	{
		displayName: 'Output',
		name: 'output',
		type: 'options',
		options: [
			{ name: 'One Item per Task', value: 'task' },
			{ name: 'One Item per Result File', value: 'result' },
		],
		default: 'task',
		description: 'Whether the files of a task come out together or each as an item of its own',
	},
	{
		displayName: 'Put Output File in Field',
		name: 'binaryPropertyName',
		type: 'string',
		default: 'data',
		displayOptions: { show: { downloadResults: [true] } },
		hint: 'The name of the output binary field to put the file in. Further files of the same item get a number behind it.',
	},
];

/** Options that say what to do with a task's results. */
export const resultOptions: readonly INodeProperties[] = [...fileOptions, simplifyOption];

const taskPathOption: INodeProperties = {
	displayName: 'Task Query Path',
	name: 'taskQueryPath',
	type: 'string',
	default: '',
	placeholder: 'e.g. /v1/videos/{task_id}',
	description:
		'Path that answers with the record of a video task, for a deployment that does not serve it at /v1/tasks/{task_id}',
};

const byName = (a: INodeProperties, b: INodeProperties) => a.displayName.localeCompare(b.displayName);

/** Which groups of options an operation offers. */
export interface OptionGroups {
	/** The task is waited for. */
	waits: boolean;
	/** The operation submits, so a callback address can be sent along. */
	submits: boolean;
	/** The record's path is not in the spec, so that the user may name it. */
	namesPath: boolean;
	/** The task makes files. They do, unless this says that they do not. */
	files?: boolean;
}

/** The collection "Options" of an operation that deals with tasks. */
export function runOptionsField(groups: OptionGroups): INodeProperties {
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: [
			concurrencyOption,
			...(groups.waits ? pollOptions : []),
			...(groups.submits ? [callbackOption] : []),
			...(groups.files === false ? [] : fileOptions),
			simplifyOption,
			...(groups.namesPath ? [taskPathOption] : []),
		].sort(byName),
	};
}

const runOptions = z.object({
	concurrency: integer(1, 100).default(5),
	pollInterval: number(1).default(4),
	timeout: number(1).default(600),
	callbackBaseUrl: webUrl().optional(),
	downloadResults: flag().default(false),
	maxDownloadSize: number(1).default(512),
	output: oneOf(['task', 'result']).default('task'),
	binaryPropertyName: text().default('data'),
	simplify: flag().default(true),
	taskQueryPath: z
		.string()
		.regex(/^\/.*\{task_id\}/, 'must begin with a slash and contain {task_id}')
		.optional(),
});

const collection = z.record(z.unknown());

/** How a node runs: see the fields' descriptions. Seconds for times, megabytes for sizes. */
export type RunOptions = z.infer<typeof runOptions>;

/** Reads and checks the collection "Options". Throws a `NodeOperationError` that names the option. */
export function readRunOptions(node: INode, value: unknown): RunOptions {
	const given = collection.parse(value);
	const set = Object.fromEntries(
		Object.entries(given).filter(([, value]) => value !== '' && value !== null),
	);
	const read = runOptions.safeParse(set);
	if (read.success) return read.data;
	const issue = read.error.issues[0];
	const name = String(issue?.path[0] ?? 'options');
	const label = displayNameOf(
		[runOptionsField({ waits: true, submits: true, namesPath: true })],
		name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
	);
	throw new NodeOperationError(node, `"${label ?? name}" ${issue?.message ?? 'is not valid'}`);
}

const waitMode = oneOf(WAIT_MODES);

/** Reads "When Submitted". Throws a `NodeOperationError` for a value that it does not have. */
export function readWaitMode(context: IExecuteFunctions): WaitMode {
	const read = waitMode.safeParse(context.getNodeParameter('waitMode', 0, 'poll'));
	if (read.success) return read.data;
	throw new NodeOperationError(
		context.getNode(),
		`"${waitModeField.displayName}" ${read.error.issues[0]?.message ?? ''}`,
	);
}
