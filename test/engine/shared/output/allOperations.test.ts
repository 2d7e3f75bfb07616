import type {
	IDataObject,
	INode,
	INodeExecutionData,
	INodeParameters,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';

import { type Clock } from '../../../../nodes/shared/util/clock';
import { fastClock, jumpingClock } from '../../support/clocks';
import { ok, runNode } from '../../support/engine';
import { OPERATIONS } from '../../support/operations';
import { type SeenRequest, useScriptedService } from '../../support/scriptedService';

/** Fast while nodes wait, but not while a file is under way, which has a time limit. */
const fast = () => fastClock(500);

let clockOfTest: () => Clock = fast;

const service = useScriptedService(() => clockOfTest());

type Given = INodeParameters;

interface Operation {
	title: string;
	node: INodeType;
	parameters: Given;
	/** Buys a task, instead of reading one. */
	buys: boolean;
	/** Has "Output" and "Wait for Result". */
	hasOutput: boolean;
	/** The request of the smallest input. */
	path?: string;
	body?: object;
}

const isShownFor = (
	field: INodeTypeDescription['properties'][number],
	resource: string,
	operation: string,
) =>
	field.displayOptions?.show?.resource?.includes(resource) === true &&
	field.displayOptions.show.operation?.includes(operation) === true;

/** Every operation of a task: a chat answer has no item of its own after a timeout, and no files. */
const TASK_OPERATIONS: Array<[title: string, operation: Operation]> = OPERATIONS.filter(
	({ family }) => family !== 'chat',
).map(({ title, node, resource, operation, smallest, path, body }) => {
	const buys = path !== undefined;
	const taskId = buys ? {} : { taskId: '={{ $json.given }}' };
	const hasOutput = node.description.properties.some(
		(field) => field.name === 'output' && isShownFor(field, resource, operation),
	);
	const parameters = { resource, operation, ...smallest, ...taskId };
	return [title, { title, node, parameters, buys, hasOutput, path, body }];
});

type Want = 'none' | 'one' | 'four' | 'failed' | 'refused' | 'invalid' | 'never';

const RESULTS: Partial<Record<Want, number>> = { none: 0, one: 1, four: 4 };

/** What a task becomes that is not completed. */
const ENDS: Partial<Record<Want, string>> = { failed: 'failed', refused: 'not found' };

const isWant = (value: unknown): value is Want =>
	['none', 'one', 'four', 'failed', 'refused', 'invalid', 'never'].includes(String(value));

const wantOf = (text: string): Want => {
	const want = text.split('_').find(isWant);
	return want ?? 'one';
};

/** The record of a task whose id tells what it is to become. */
function recordOf(id: string): IDataObject {
	const want = wantOf(id);
	if (want === 'never') return { id, status: 'processing', progress: 10 };
	if (want === 'failed') return { id, status: 'failed', error: { message: 'No luck', code: 9 } };
	const links = Array.from(
		{ length: RESULTS[want] ?? 1 },
		(_, at) => `${service.url}/files/${id}-${at + 1}.bin`,
	);
	return { id, status: 'completed', cost: 0.1, image_urls: links, result: { files: links } };
}

let lastTask = 0;

function answerAll(): void {
	lastTask = 0;
	service.on('POST', '*', ({ body }: SeenRequest) => {
		const want =
			typeof body === 'object' && body !== null && 'want' in body ? String(body.want) : '';
		if (want === 'refused')
			return {
				status: 400,
				json: { error: { message: 'Refused', type: 'invalid_request', code: 400 } },
			};
		return { json: { code: 200, data: [{ task_id: `task_${want}_${++lastTask}` }] } };
	});
	service.on('GET', '*', ({ path }: SeenRequest) => {
		const id = path.split('/').at(-1) ?? '';
		if (wantOf(id) === 'refused')
			return {
				status: 404,
				json: { error: { message: 'Unknown task', type: 'not_found', code: 404 } },
			};
		return { json: { code: 200, data: recordOf(id) } };
	});
	service.on('GET', '/files/*', { text: 'file', headers: { 'content-type': 'image/png' } });
}

beforeEach(answerAll);

const rowsOf = (wants: readonly Want[]): INodeExecutionData[] =>
	wants.map((want, at) => ({
		json: {
			want,
			row: at,
			title: 'Same',
			given: want === 'invalid' ? '' : `task_${want}_${at}`,
			url: 'https://row.example.com',
			status: 'new',
		},
	}));

async function run(
	{ node, parameters }: Operation,
	wants: readonly Want[],
	given: Given,
	options: Given,
	settings: Partial<INode>,
) {
	return await runNode({
		node,
		parameters: {
			...parameters,
			...given,
			options: {
				// What is wrong with an item is found before it is sent, after its other fields are read.
				additionalBodyFields:
					'={{ $json.want === "invalid" ? "no JSON" : JSON.stringify({ want: $json.want }) }}',
				pollInterval: 1,
				concurrency: 3,
				reference: '=row {{ $json.row }}',
				includeInput: true,
				...options,
			},
		},
		items: rowsOf(wants),
		credential: service.credential(),
		settings,
	});
}

/** The fields of an item, wherever n8n's error output leaves them. */
function fieldsOf({ json }: INodeExecutionData): IDataObject {
	const { error } = json;
	return json.message !== undefined && typeof error === 'object' && error !== null
		? (error as IDataObject)
		: json;
}

const rowOf = ({ pairedItem }: INodeExecutionData) =>
	typeof pairedItem === 'object' && 'item' in pairedItem ? pairedItem.item : undefined;

const WANTS: Want[] = ['none', 'one', 'four', 'invalid', 'refused', 'failed', 'four'];

/** A purchase that was refused has no task. */
const hasTask = (want: Want, { buys }: Operation) =>
	want !== 'invalid' && !(buys && want === 'refused');

/** "Get" gives a failed task out like any other: its `error` is the task's. */
const isError = (
	want: Want,
	{ parameters: { operation } }: Operation,
	{ simplify = true }: Given,
) => RESULTS[want] === undefined && (want !== 'failed' || operation !== 'get' || simplify === true);

test('the table has every operation of the nodes that buy, and their panels every one of the table', () => {
	const nodes = new Map(OPERATIONS.map(({ node }) => [node.description.displayName, node]));
	const offered = [...nodes].flatMap(([name, { description }]) =>
		description.properties
			.filter((field) => field.name === 'operation')
			.flatMap(({ options = [], displayOptions }) =>
				options.map(
					(option) =>
						`${name}, ${String(displayOptions?.show?.resource?.[0])}: ${'value' in option ? String(option.value) : ''}`,
				),
			),
	);
	expect(OPERATIONS.map(({ title }) => title).sort()).toEqual(offered.sort());
});

describe.each<[string, Given, Given, Partial<INode>]>([
	['one item per task', { output: 'tasks' }, {}, { onError: 'continueRegularOutput' }],
	[
		'one item per file, all of the same name',
		{ output: 'files' },
		{ fileName: '={{ $json.title }}' },
		{ onError: 'continueRegularOutput' },
	],
	[
		'one item per file, not simplified, with an error output',
		{ output: 'files' },
		{ simplify: false },
		{ onError: 'continueErrorOutput' },
	],
])('%s', (_, given, options, settings) => {
	test.each(TASK_OPERATIONS)('%s: items know their row, task and input', async (__, operation) => {
		const { outputs } = ok(await run(operation, WANTS, given, options, settings));
		const items = outputs.flat();
		const perFile = given.output === 'files' && operation.hasOutput;
		for (const [row, { json }] of rowsOf(WANTS).entries()) {
			const want = WANTS[row] ?? 'one';
			const own = items.filter((item) => rowOf(item) === row);
			expect([want, own.length]).toEqual([want, perFile ? Math.max(1, RESULTS[want] ?? 1) : 1]);
			for (const item of own) {
				const fields = fieldsOf(item);
				expect([want, fields.reference, fields.input]).toEqual([want, `row ${row}`, json]);
				expect([want, 'error' in item.json]).toEqual([want, isError(want, operation, options)]);
				if (hasTask(want, operation))
					expect(fields.taskId).toMatch(new RegExp(`^task_${want}_\\d+$`));
				else expect(fields).not.toHaveProperty('taskId');
				const status = hasTask(want, operation) ? (ENDS[want] ?? 'completed') : 'not submitted';
				expect([want, fields.status]).toEqual([want, status]);
			}
		}
		expect(items.map(rowOf).filter((row) => row === undefined)).toEqual([]);

		const names = items.flatMap(({ binary = {} }) =>
			Object.values(binary).map(({ fileName }) => fileName?.toLowerCase()),
		);
		expect(names).toHaveLength(9);
		expect(new Set(names).size).toBe(names.length);
	});
});

test.each(TASK_OPERATIONS)('%s: an error of all leaves each its input', async (_, operation) => {
	const { items } = await run(
		operation,
		['one', 'four'],
		{},
		{ concurrency: 0 },
		{ onError: 'continueRegularOutput' },
	);
	expect(items.map(rowOf)).toEqual([0, 1]);
	const error = {
		message: '"Concurrency" must be a whole number from 1 to 100, not 0',
		description: 'Nothing was sent to the service.',
		...{ code: null, type: null, httpStatus: null },
	};
	expect(
		items.map(({ json }) => [json.reference, (json.input as IDataObject).row, json.error]),
	).toEqual([
		['row 0', 0, error],
		['row 1', 1, error],
	]);
	expect(service.requests).toEqual([]);
});

describe('after Timeout, where the node continues', () => {
	beforeAll(() => (clockOfTest = jumpingClock));
	afterAll(() => (clockOfTest = fast));

	test.each(TASK_OPERATIONS)('%s: the item knows its row, task and input', async (_, operation) => {
		const isGet = operation.parameters.operation === 'get';
		const { items } = await run(
			operation,
			['never', 'one'],
			{ downloadFiles: false },
			{ timeout: 5 },
			{ onError: 'continueRegularOutput' },
		);
		expect(items.map(rowOf)).toEqual([0, 1]);
		expect(items[0]?.json).toMatchObject({
			taskId: expect.stringMatching(/^task_never_\d+$/) as string,
			status: 'running',
			reference: 'row 0',
			input: { want: 'never' },
		});
		expect('error' in (items[0]?.json ?? {})).toBe(!isGet);
		expect(items[1]?.json).toMatchObject({
			status: 'completed',
			reference: 'row 1',
			input: { want: 'one' },
		});
	});
});

test.each(TASK_OPERATIONS.filter(([, { buys }]) => buys))(
	'%s: the smallest input is its request, with what Additional Body Fields adds',
	async (_, { node, parameters, path, body }) => {
		const given = {
			downloadFiles: false,
			options: { additionalBodyFields: '{"brand_new": {"deep_er": [1, "x"]}}' },
		};
		await runNode({
			node,
			parameters: { ...parameters, ...given },
			credential: service.credential(),
		}).then(ok);
		expect(service.sent('POST', '*').map((request) => [request.path, request.body])).toEqual([
			[path, { ...body, brand_new: { deep_er: [1, 'x'] } }],
		]);
	},
);
