import '../support/environment';

import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { MediaGenGrid } from '../../../nodes/MediaGenGrid/MediaGenGrid.node';
import { runNode } from '../support/engine';
import {
	extra,
	fieldsOf,
	isShown,
	needed,
	type Row,
	top,
	withExpression,
} from '../support/fieldTable';
import { loadOptionsContext } from '../support/loadOptions';
import { submissions, useSandbox } from '../support/sandbox';

const service = useSandbox();
const node = new MediaGenGrid();

type Given = Record<string, unknown>;

async function run(
	operation: string,
	parameters: Given,
	items: INodeExecutionData[] = [{ json: {} }],
	settings = {},
) {
	return await runNode({
		node,
		parameters: {
			resource: 'grid',
			operation,
			waitMode: 'none',
			...(parameters as INodeParameters),
		},
		items,
		credential: service.credential(),
		settings,
	});
}

const sent = () => submissions(service.sandbox).map(({ body }) => body as Given);

/** The buttons of a task, as its own record names them. */
async function buttonsOf(
	taskId: string,
	operation = 'variation',
): Promise<Array<{ name: string; value: unknown }>> {
	const parameters: INodeParameters = { resource: 'grid', operation, matchBy: 'button', taskId };
	const context = loadOptionsContext(node, parameters, service.credential(), 'parameters.customId');
	return await node.methods.loadOptions.getButtons.call(context);
}

const COMMON = ['task_id', 'index', 'custom_id', 'speed', 'metadata'];
const extras = [
	extra('speed', 'turbo', 'speed'),
	extra('metadata', '{"deep": {"aB": [""]}, "jobId": 7}', 'metadata', {
		jobId: 7,
		deep: { aB: [''] },
	}),
	extra('metadata', '={{ ({ "jobId": 7, "deep": { "aB": [""] } }) }}', 'metadata', {
		jobId: 7,
		deep: { aB: [''] },
	}),
];
const byButton = { matchBy: 'button', customId: 'BUTTON' };
const picture: Row[] = [
	needed('taskId', 'PARENT', 'task_id'),
	{ ...top('index', 3, 'index'), unset: byButton },
	{
		...top('customId', 'BUTTON', 'custom_id', 'BUTTON', { matchBy: 'button' }),
		unset: { index: 2 },
	},
	...extras,
];

/** Fields by spec §4, and the rows that set them. `matchBy` only chooses between two of them. */
const OPERATIONS: Record<string, { spec: string[]; rows: Row[]; path: string; button: RegExp }> = {
	variation: { spec: COMMON, rows: picture, path: 'variation', button: /Vary/ },
	lowVariation: { spec: COMMON, rows: picture, path: 'low-variation', button: /Vary/ },
	reroll: {
		spec: COMMON.filter((name) => name !== 'index'),
		rows: [
			needed('taskId', 'PARENT', 'task_id'),
			{ ...top('customId', 'BUTTON', 'custom_id', 'BUTTON', { matchBy: 'button' }), unset: {} },
			...extras,
		],
		path: 'reroll',
		button: /reroll|🔄/i,
	},
};

const rows = Object.entries(OPERATIONS).flatMap(([operation, { rows: own }]) =>
	own.map((row) => [operation, row.field, row] as const),
);

test.each(Object.keys(OPERATIONS))(
	'%s: the table has every field of the panel, and the panel every field of the spec',
	(operation) => {
		const { rows: own, spec } = OPERATIONS[operation] ?? { rows: [], spec: [] };
		const fields = [...new Set([...own.map(({ field }) => field), 'matchBy'])];
		expect(fields.sort()).toEqual(fieldsOf(node, operation).sort());
		expect([...new Set(own.map(({ api }) => api))].sort()).toEqual([...spec].sort());
	},
);

test.each(rows)(
	'%s › %s: shown, sent under its name and type, taken, and absent when unset',
	async (operation, field, row) => {
		const { path, button } = OPERATIONS[operation] ?? { path: '', button: /x/ };
		// A variation works on the buttons of an upscaled picture as well, a re-roll on a grid alone.
		const parent = service.sandbox.originals.grid({
			action: operation === 'reroll' || field !== 'customId' ? 'IMAGINE' : 'UPSCALE',
		}).id;
		const grid = service.sandbox.originals.grid().id;
		const offered = await buttonsOf(operation === 'reroll' ? grid : parent, operation);
		const customId = offered.find(({ name, value }) =>
			button.test(`${name} ${String(value)}`),
		)?.value;
		const real = (value: unknown) =>
			value === 'PARENT' ? parent : value === 'BUTTON' ? customId : value;
		const filled = (given: Given): Given => {
			const usesButton = given.matchBy === 'button';
			const target = usesButton && operation !== 'reroll' ? parent : usesButton ? grid : parent;
			return {
				...Object.fromEntries(Object.entries(given).map(([name, value]) => [name, real(value)])),
				taskId: target,
			};
		};
		service.sandbox.requests.clear();
		expect(isShown(node, { resource: 'grid', operation, ...filled(row.set) }, field)).toBe(true);

		const first = await run(operation, filled(row.set));
		expect(first.error).toBeUndefined();
		const typed = real(row.sent) === row.sent ? withExpression(row) : undefined;
		if (typed) await run(operation, filled(typed.set));
		expect(sent()).toHaveLength(typed ? 2 : 1);
		for (const body of sent()) expect(body[row.api]).toStrictEqual(real(row.sent));
		expect(submissions(service.sandbox)[0]?.path).toBe(`/v1/gridart/generations/${path}`);

		if (row.unset === undefined) return;
		service.sandbox.requests.clear();
		const without = await run(operation, filled(row.unset));
		expect(without.error).toBeUndefined();
		expect(sent()).toHaveLength(1);
		expect(sent()[0]).not.toHaveProperty(row.api);
	},
);

test('the number is hidden beside a button, and the button beside a number', () => {
	const shown = (matchBy: string, field: string) =>
		isShown(node, { resource: 'grid', operation: 'variation', taskId: 't', matchBy }, field);
	expect([shown('index', 'index'), shown('index', 'customId')]).toEqual([true, false]);
	expect([shown('button', 'index'), shown('button', 'customId')]).toEqual([false, true]);
	expect(isShown(node, { resource: 'grid', operation: 'reroll', taskId: 't' }, 'index')).toBe(
		false,
	);
});

test('the list of buttons says how to get it where there is no task yet', async () => {
	for (const taskId of ['', '={{ $json.taskId }}']) {
		await expect(buttonsOf(taskId)).rejects.toMatchObject({
			message: 'There is no task to read the buttons from yet',
			description: expect.stringContaining('Run the node before this one') as string,
		});
	}
	await expect(buttonsOf('nobody')).rejects.toMatchObject({ httpCode: '404' });
});

test.each<[string, string, Given, string]>([
	['no parent', 'reroll', { taskId: '={{ "" }}' }, '"Task ID" is required'],
	[
		'picture five',
		'variation',
		{ index: 5 },
		'"Picture Number" must be a whole number from 1 to 4',
	],
	[
		'picture zero',
		'lowVariation',
		{ index: 0 },
		'"Picture Number" must be a whole number from 1 to 4',
	],
	[
		'a number that is none',
		'variation',
		{ index: '={{ "first" }}' },
		'"Picture Number" must be a whole number',
	],
	['no number', 'lowVariation', { index: '={{ undefined }}' }, '"Picture Number" is required'],
	['no button', 'variation', { matchBy: 'button' }, '"Button Name or ID" is required'],
	[
		'metadata that is no JSON',
		'variation',
		{ additionalFields: { metadata: '{"a":' } },
		'"Metadata" must be a JSON object',
	],
	[
		'metadata that is a list',
		'reroll',
		{ additionalFields: { metadata: '[1]' } },
		'"Metadata" must be a JSON object',
	],
])('refused before anything is sent: %s', async (_, operation, given, message) => {
	const { error } = await run(operation, { taskId: 't', ...given });
	expect(error?.message).toContain(message);
	expect(error?.message).toContain('[item 0]');
	expect(service.sandbox.requests.list()).toEqual([]);
});

const parents = () => service.sandbox.originals;

test.each<[string, string, () => string, string]>([
	[
		'still running',
		'variation',
		() => parents().grid({ state: 'running' }).id,
		'must be a completed task; this one is still',
	],
	[
		'failed',
		'reroll',
		() => parents().grid({ state: 'failed' }).id,
		'must be a completed task; this one has failed',
	],
])(
	'a parent that is %s is refused before anything is bought',
	async (_, operation, parent, message) => {
		const { error } = await run(operation, { taskId: parent() });
		expect(error?.message).toContain(`"Task ID" ${message}`);
		expect(error?.message).toContain('[item 0]');
		expect(sent()).toEqual([]);
	},
);

test('a variation cannot be re-rolled', async () => {
	const varied = await run('variation', {
		taskId: parents().grid().id,
		index: 2,
		waitMode: 'poll',
		downloadFiles: false,
	});
	expect(varied.error).toBeUndefined();
	service.sandbox.requests.clear();
	const { error } = await run('reroll', {}, varied.items);
	expect(error?.message).toContain('"Task ID" must be a grid that was imagined or re-rolled');
	expect(sent()).toEqual([]);
});

test("an unknown task is the service's to refuse, once", async () => {
	const { error } = await run('variation', { taskId: 'nobody' });
	expect(error?.httpCode).toBe('404');
	expect(service.sandbox.ledger().accepted).toBe(0);
});

test('grid → re-roll → one of the four: the grid has no number, its pictures have 1 to 4', async () => {
	const rolled = await run('reroll', {
		taskId: parents().grid().id,
		waitMode: 'poll',
		output: 'files',
		downloadFiles: false,
	});
	expect(rolled.error).toBeUndefined();
	expect(
		rolled.json.map(({ index, name, kind, operation }) => [index, name, kind, operation]),
	).toEqual([
		[null, 'grid', 'image', 'reroll'],
		[1, null, 'image', 'reroll'],
		[2, null, 'image', 'reroll'],
		[3, null, 'image', 'reroll'],
		[4, null, 'image', 'reroll'],
	]);
	expect(rolled.json[0]).toMatchObject({ status: 'completed', task: { serviceStatus: 'SUCCESS' } });
	const third = rolled.items.filter(({ json }) => json.index === 3);
	service.sandbox.requests.clear();
	const varied = await run('variation', { waitMode: 'poll', downloadFiles: false }, third);
	expect(varied.error).toBeUndefined();
	expect(sent()).toEqual([{ task_id: rolled.json[0]?.taskId, index: 3 }]);
	expect(varied.json[0]).toMatchObject({ operation: 'variation', family: 'grid' });
	expect(varied.json[0]?.buttons).toBeInstanceOf(Array);
});

test('a speed that this package does not know is sent as it is, and the user is told', async () => {
	const task = service.sandbox.originals.grid().id;
	service.sandbox.requests.clear();
	const note = 'The speed "warp" is not in this package\'s list: it is sent as it is';
	const settings = { onError: 'continueRegularOutput' as const };
	const { json } = await run(
		'reroll',
		{ taskId: task, additionalFields: { speed: '={{ "warp" }}' } },
		undefined,
		settings,
	);
	const [posted] = service.sandbox.requests.list({ path: '/v1/gridart/generations/reroll' });
	expect(posted?.body).toEqual({ task_id: task, speed: 'warp' });
	expect(json[0]?.notes).toEqual([note]);
});
