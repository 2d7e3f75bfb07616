import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import type { TaskFamily } from '../api/families';
import { inspectFile, PendingUpload } from '../n8n/binary';
import type { Operation, Resource } from '../n8n/describe';
import { listField, optionsOf, rowsField, taskIdField, textField } from '../n8n/fields';
import { throwFirstError } from '../n8n/failedItems';
import { optionsField, outputFields, taskOptions } from '../n8n/options';
import { readItemOptions } from '../n8n/readOptions';
import {
	type ExecutedItem,
	isSet,
	type ParameterValues,
	parseField,
	parseParameters,
	readAdditionalBody,
	refusal,
	requireExpressions,
	validationError,
} from '../n8n/parameters';
import { type AcceptedItem, isAccepted, type TaskItem } from '../output/items';
import { readItems } from '../purchase/runPaidItems';
import { jsonObject } from '../util/json';
import { oneOf, taskId, text, toId } from '../util/schema';
import { z } from '../util/vendor/zod';
import { buyingOperation, deliver } from './execute';
import { pollTasks } from './poll';
import type { PanelBody } from './prepare';
import { retrieveError } from './taskErrors';
import {
	acceptedItem,
	openTaskRun,
	retrieveRecord,
	type TaskRun,
	withRecord,
	withTaskIds,
} from './taskRun';

const TASK: Resource = { name: 'Task', value: 'task' };

/** To the `error` and `message` of an error output, n8n adds the fields of the node's input, such as the task that it was to build on. */
const namedTaskField = taskIdField(
	'Every output of a MediaGen node about a task has it, an error item too',
	'={{ ($json.error?.description !== undefined && $json.error.message === $json.message ? $json.error : $json).taskId }}',
);

const withTaskId = z.object({ taskId: z.preprocess((value) => value ?? '', taskId()) });

function namedTask(run: TaskRun, itemIndex: number): AcceptedItem {
	const { context } = run;
	const { taskId } = parseParameters({ context, fields: [namedTaskField], itemIndex }, withTaskId);
	const input = run.options.includeInput ? context.getInputData()[itemIndex]?.json : undefined;
	const options = readItemOptions(context.getNodeParameter('options', itemIndex, {}), input);
	return acceptedItem(run, { itemIndex, notes: [], options }, taskId);
}

async function retrieve(run: TaskRun, item: TaskItem): Promise<TaskItem> {
	if (!isAccepted(item)) return item;
	try {
		return withRecord(run, item, await retrieveRecord(run, item.taskId, 'read'));
	} catch (error) {
		return { ...item, error: retrieveError(run, item, error) };
	}
}

async function readTasks(
	context: IExecuteFunctions,
	family: TaskFamily,
	operation: 'get' | 'wait',
): Promise<INodeExecutionData[][]> {
	const opened = await openTaskRun(context, family, operation);
	const named: TaskItem[] = await readItems(context, (itemIndex) => namedTask(opened, itemIndex));
	throwFirstError(context, named);
	const run = withTaskIds(opened, named);
	// Get has no Timeout: it goes on until all items are read.
	const asked = { ...run, deadline: Infinity };
	const read =
		operation === 'wait'
			? await pollTasks(run, named)
			: await Promise.all(named.map(async (item) => await retrieve(asked, item)));
	return await deliver(run, read);
}

/** A job for which a family has no operation: the service's own documentation names its endpoint. */
type ExampleRequest = Record<'action' | 'jobs' | 'path' | 'field' | 'value', string>;

const EXAMPLES: Readonly<Record<TaskFamily, ExampleRequest>> = {
	music: {
		action: 'Submit a custom request, such as for a song from lyrics',
		jobs: 'a song from lyrics or from a description, or an upload of your own track',
		path: '/v1/music/generations/create',
		field: 'prompt',
		value: '[Verse] The harbour lights are low…',
	},
	grid: {
		action: 'Submit a custom request, such as for a first grid or an upscale',
		jobs: 'a first grid from a prompt, or an upscaled picture',
		path: '/v1/gridart/generations/imagine',
		field: 'prompt',
		value: 'A harbour at dawn',
	},
	image: {
		action: 'Submit a custom request',
		jobs: 'a new endpoint of the service',
		path: '/v1/images/variations',
		field: 'image_url',
		value: 'https://example.com/picture.png',
	},
	video: {
		action: 'Submit a custom request',
		jobs: 'a new endpoint of the service',
		path: '/v1/videos/upscales',
		field: 'video_url',
		value: 'https://example.com/clip.mp4',
	},
};

const CUSTOM_REQUESTS =
	'https://github.com/mediagen-nodes/n8n-nodes-mediagen/blob/main/docs/custom-requests.md';

const submitFieldsOf = ({ jobs, path, field, value }: ExampleRequest): INodeProperties[] => [
	{
		displayName: `For what has no operation here, such as ${jobs}: see <a href="${CUSTOM_REQUESTS}" target="_blank">Custom requests</a>`,
		name: 'customRequestNotice',
		type: 'notice',
		default: '',
	},
	textField({
		displayName: 'Path',
		name: 'path',
		required: true,
		placeholder: `e.g. ${path}`,
		description: 'Path of the endpoint on the base URL of the credential. The request is a POST.',
	}),
	listField({
		displayName: 'Body',
		name: 'bodyType',
		options: optionsOf({
			fields: ['Fields', 'Names and values, sent as JSON'],
			formData: ['Form Data With a File', 'Names and values, and a file from the input'],
			json: ['JSON'],
		}),
		default: 'fields',
	}),
	{
		displayName: 'JSON Body',
		name: 'body',
		type: 'json',
		default: '{}',
		displayOptions: { show: { bodyType: ['json'] } },
		hint: `e.g. ${JSON.stringify({ [field]: value })}`,
	},
	rowsField({
		displayName: 'Body Fields',
		name: 'bodyFields',
		displayOptions: { show: { bodyType: ['fields', 'formData'] } },
		row: 'Field',
		values: [
			textField({ displayName: 'Name', name: 'name', placeholder: `e.g. ${field}` }),
			textField({
				displayName: 'Value',
				name: 'value',
				typeOptions: { rows: 3 },
				placeholder: `e.g. ${value}`,
				description: 'An expression may give a number, a boolean or a list',
			}),
		],
	}),
	textField({
		displayName: 'Input Data Field Name',
		name: 'binaryProperty',
		required: true,
		default: 'data',
		displayOptions: { show: { bodyType: ['formData'] } },
		hint: 'The name of the input binary field that holds the file',
	}),
	textField({
		displayName: 'Form Field of the File',
		name: 'fileField',
		required: true,
		default: 'file',
		displayOptions: { show: { bodyType: ['formData'] } },
	}),
];

const customRequest = z.object({
	path: text().refine(
		(path) => /^\/(?![/\\\s])/.test(path),
		'must begin with one slash, without the base URL',
	),
	body: jsonObject('must be a JSON object, e.g. {"prompt": "A slow sea shanty"}').default({}),
	file: z.instanceof(PendingUpload).optional(),
	file_field: text().default('file'),
});

const bodyFields = z
	.object({
		field: z.array(
			z.object({ name: z.preprocess(toId, z.string()).catch(''), value: z.unknown() }),
		),
	})
	.catch({ field: [] });

/** Reads "Body Fields": what is empty in them counts. Throws a `NodeOperationError` for a row without a name, or with that of another. */
function readBodyFields(item: ExecutedItem): { fields: Record<string, unknown>; notes: string[] } {
	const { context, itemIndex } = item;
	const rows = bodyFields.parse(context.getNodeParameter('bodyFields', itemIndex, {})).field;
	const names = new Set<string>();
	const issues = rows.flatMap(({ name }, row) => {
		const path = ['body_fields', row, 'name'];
		if (name === '') return [{ path, message: 'is required' }];
		if (names.has(name))
			return [{ path, message: `must be another name: "${name}" is given twice` }];
		names.add(name);
		return [];
	});
	if (issues.length > 0) throw validationError(item, issues);
	const set = rows.filter(({ value }) => isSet(value));
	const empty = rows.filter(({ value }) => !isSet(value)).map(({ name }) => `"${name}"`);
	const notes =
		empty.length === 0 ? [] : [`Not sent, because empty in "Body Fields": ${empty.join(', ')}`];
	return { fields: Object.fromEntries(set.map(({ name, value }) => [name, value])), notes };
}

/** Puts the body together. As text it is neither renamed nor cleaned: its names are the service's own. */
async function customBody(values: ParameterValues, item: ExecutedItem): Promise<PanelBody> {
	const { context, itemIndex } = item;
	const { bodyType, binaryProperty, bodyFields: _rows, body: json, ...request } = values;
	const type = parseField(item, 'bodyType', oneOf(['fields', 'formData', 'json']), bodyType);
	if (type === 'json') {
		// The object of an expression may have lost all that it should have.
		requireExpressions(item, { body: String(json).trim() === '{}' ? '' : json }, ['body']);
		if (json === undefined) throw refusal(item, 'body', 'is required');
		return { body: { ...request, body: json } };
	}
	const { fields, notes } = readBodyFields(item);
	const body = JSON.stringify(fields);
	const names = Object.keys({ ...fields, ...readAdditionalBody(context, itemIndex, []) });
	if (type === 'fields') {
		if (names.length === 0)
			throw refusal(item, 'bodyFields', 'is required: the request would be empty');
		return { body: { ...request, body }, notes };
	}
	const { fileField = 'file' } = values;
	if (names.includes(String(toId(fileField))))
		throw refusal(item, 'fileField', 'must be another name: a field of the body has this one');
	requireExpressions(item, values, ['binaryProperty']);
	if (typeof binaryProperty !== 'string') throw refusal(item, 'binaryProperty', 'is required');
	const property = binaryProperty.trim();
	const file = await inspectFile({ context, itemIndex, property, field: 'Input Data Field Name' });
	return { body: { ...request, body, file }, notes };
}

/** A request to an endpoint that the spec does not show, with the same purchase, wait and output as any other. */
function submitOperation(family: TaskFamily): Operation {
	return buyingOperation({
		family,
		resource: TASK,
		name: 'Submit Custom Request',
		value: 'submit',
		action: EXAMPLES[family].action,
		description:
			'Buy a task from any endpoint of the service, such as one that this node does not have',
		fields: submitFieldsOf(EXAMPLES[family]),
		schema: customRequest,
		notFound: {
			words: 'Path or task not found',
			hint: 'Check "Path" in the documentation of the service, and the task ID if the body has one.',
		},
		toBody: customBody,
		path: (request) => {
			const { path, body, file, file_field: field } = customRequest.parse(request);
			return { path, body, ...(file ? { file: { field, content: file } } : {}) };
		},
	});
}

/** The resource "Task" of a family: read a task, wait for it, or buy one from an endpoint that has no operation of its own. */
export function taskResource(family: TaskFamily): Operation[] {
	return [
		{
			resource: TASK,
			name: 'Get',
			value: 'get',
			action: 'Get a task',
			description: 'Read a task once, whatever its status',
			fields: [namedTaskField, ...outputFields, optionsField(taskOptions({ waits: false }))],
			execute: async (context) => await readTasks(context, family, 'get'),
		},
		submitOperation(family),
		{
			resource: TASK,
			name: 'Wait',
			value: 'wait',
			action: 'Wait for a task',
			description: 'Wait until a task ends and return its results',
			fields: [namedTaskField, ...outputFields, optionsField(taskOptions({ waits: true }))],
			execute: async (context) => await readTasks(context, family, 'wait'),
		},
	];
}
