import '../support/environment';

import type { INodeParameters } from 'n8n-workflow';

import { MediaGenGrid } from '../../../nodes/MediaGenGrid/MediaGenGrid.node';
import { ok } from '../support/engine';
import { extra, isShown, needed, type Row, testFields, top } from '../support/fieldTable';
import { loadOptionsContext } from '../support/loadOptions';
import { newNodeRunner, PARENT } from '../support/operations';
import { bodiesSent, expectRefused, useSandbox } from '../support/sandbox';
import { useScriptedService } from '../support/scriptedService';
import { goOn } from '../support/settings';

const service = useSandbox();
const scripted = useScriptedService();
const node = new MediaGenGrid();

type Given = Record<string, unknown>;

const run = newNodeRunner(service, node, 'grid');

const sent = () => bodiesSent(service);

/** The buttons of a task, as its own record names them. */
async function buttonsOf(
	taskId: string,
	operation = 'variation',
	options: INodeParameters = {},
	credential = service.credential(),
): Promise<Array<{ name: string; value: unknown }>> {
	const parameters: INodeParameters = {
		...{ resource: 'grid', operation, matchBy: 'button', taskId },
		options,
	};
	const context = loadOptionsContext(node, parameters, credential, 'parameters.customId');
	return await node.methods.loadOptions.getButtons.call(context);
}

const COMMON = ['task_id', 'index', 'custom_id', 'speed', 'metadata'];
const metadata = { jobId: 7, deep: { aB: [''] } };
const extras = [
	extra('speed', 'turbo', 'speed'),
	extra('metadata', '{"deep": {"aB": [""]}, "jobId": 7}', 'metadata', metadata),
	extra('metadata', '={{ ({ "jobId": 7, "deep": { "aB": [""] } }) }}', 'metadata', metadata),
];
const byButton = { matchBy: 'button', customId: 'BUTTON' };
const button = top('customId', 'BUTTON', 'custom_id', 'BUTTON', { matchBy: 'button' });
const picture: Row[] = [
	needed('taskId', PARENT, 'task_id'),
	{ ...top('index', 3, 'index'), unset: byButton },
	{ ...button, unset: { index: 2 } },
	...extras,
];

/** Fields by spec §4, and the rows that set them. `matchBy` only chooses between two of them. */
const others = ['matchBy'];
const FIELDS = {
	'grid.variation': { spec: COMMON, rows: picture, others },
	'grid.lowVariation': { spec: COMMON, rows: picture, others },
	'grid.reroll': {
		spec: COMMON.filter((name) => name !== 'index'),
		rows: [needed('taskId', PARENT, 'task_id'), { ...button, unset: {} }, ...extras],
		others,
	},
};

testFields(service, FIELDS, async (name, { field }) => {
	const operation = name.replace('grid.', '');
	const isReroll = operation === 'reroll';
	// A variation works on the buttons of an upscaled picture as well, a re-roll on a grid alone.
	const action = field === 'customId' && !isReroll ? 'UPSCALE' : 'IMAGINE';
	const { id } = service.sandbox.originals.grid({ action });
	const pattern = isReroll ? /reroll|🔄/i : /Vary/;
	const offered = await buttonsOf(id, operation);
	const pressed = offered.find((each) => pattern.test(`${each.name} ${String(each.value)}`));
	return { [PARENT]: id, BUTTON: pressed?.value };
});

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
			message:
				'There is no task to read the buttons from yet: run the node before this one, or enter a task ID',
			description: 'A button can also be entered as an expression.',
		});
	}
	await expect(buttonsOf('nobody')).rejects.toMatchObject({ httpCode: '404' });
});

test.each<[string, unknown, unknown[]]>([
	[
		'buttons by whatever names its record gives them',
		[
			{ custom_id: 'vary::1', label: 'V1' },
			{ customId: 'reroll::0', emoji: '🔄', label: '' },
			{ id: 'up::2', name: 'Upscale 2' },
			{ label: 'Nothing to send' },
			{ custom_id: 'plain' },
		],
		[
			['V1', 'vary::1'],
			['🔄', 'reroll::0'],
			['Upscale 2', 'up::2'],
			['plain', 'plain'],
		],
	],
	['buttons without names', ['plain', 4, ''], [['plain', 'plain']]],
	['no buttons', undefined, []],
	['buttons that are none', 'none', []],
])('the list has what a task offers: %s', async (_, buttons, listed) => {
	const json = { code: 200, data: { id: 't', status: 'SUCCESS', buttons } };
	scripted.on('GET', '/v1/tasks/t', { json });
	// Those of an operation are shown alone, and none is chosen here.
	const found = await buttonsOf('t', '', {}, scripted.credential());
	expect(found.map(({ name, value }) => [name, value])).toEqual(listed);
});

test('the list of buttons is read at the path of the option "Task Query Path"', async () => {
	const { id } = service.sandbox.originals.grid({ action: 'IMAGINE' });
	await buttonsOf(id, 'variation', { taskQueryPath: '/v1/tasks/{task_id}?of=grid' });
	expect(service.sandbox.requests.list({ method: 'GET' }).at(-1)?.query).toContain('of=grid');
});

const numberIs = '"Picture Number" must be a whole number';
const unknownChoice = { matchBy: '={{ "Button" }}', customId: 'b' };
const choices = 'button, index, reroll';
const metadataOf = (metadata: string) => ({ additionalFields: { metadata } });

test.each<[string, string, Given, string]>([
	['no parent', 'reroll', { taskId: '={{ "" }}' }, '"Task ID" is required'],
	['picture zero', 'lowVariation', { index: 0 }, `${numberIs} from 1 to 4`],
	['a number that is none', 'variation', { index: '={{ "first" }}' }, numberIs],
	['no number', 'lowVariation', {}, '"Picture Number" is required'],
	['metadata that is a list', 'reroll', metadataOf('[1]'), '"Metadata" must be a JSON object'],
	['metadata cut short', 'reroll', metadataOf('{"a":'), '"Metadata" must be a JSON object'],
	['no choice', 'reroll', { matchBy: '={{ $json.by }}' }, '"Choose By" is required'],
	['an unknown choice', 'variation', unknownChoice, `"Choose By" must be one of ${choices}`],
	['no button', 'variation', { matchBy: 'button' }, '"Button Name or ID" is required'],
	['no button of a grid', 'reroll', { matchBy: 'button' }, '"Button Name or ID" is required'],
])('refused before anything is sent: %s', async (_, operation, given, message) => {
	expectRefused(service, await run(operation, { taskId: 't', ...given }), message);
});

const parents = () => service.sandbox.originals;
const ended = '"Task ID" must be a completed task; this one';

test.each([
	['still running', 'variation', 'running', `${ended} is still`],
	['failed', 'reroll', 'failed', `${ended} has failed`],
] as const)('a parent that is %s is refused at once', async (_, operation, state, message) => {
	const { error } = await run(operation, { taskId: parents().grid({ state }).id, index: 1 });
	expect(error?.message).toContain(message);
	expect(error?.message).toContain('[row 1 (item 0)]');
	expect(sent()).toEqual([]);
});

const wait = { waitMode: 'poll', downloadFiles: false };

test('a variation cannot be re-rolled', async () => {
	const parameters = { taskId: parents().grid().id, index: 2, ...wait };
	const varied = ok(await run('variation', parameters));
	service.sandbox.requests.clear();
	const { error } = await run('reroll', {}, varied.items);
	expect(error?.message).toContain('"Task ID" must be a grid that was imagined or re-rolled');
	expect(sent()).toEqual([]);
});

test.each(['UPSCALE', 'PAN'] as const)('nor can what has the action %s', async (action) => {
	const { error } = await run('reroll', { taskId: parents().grid({ action }).id });
	expect(error?.message).toContain(`the action of this one is ${action}`);
	expect(sent()).toEqual([]);
});

test("an unknown task is the service's to refuse, once", async () => {
	const { error } = await run('variation', { taskId: 'nobody', index: 1 });
	expect(error?.httpCode).toBe('404');
	expect(service.sandbox.ledger().accepted).toBe(0);
});

test('grid → re-roll → one of the four: the grid has no number, its pictures have 1 to 4', async () => {
	const parameters = { taskId: parents().grid().id, output: 'files', ...wait };
	const rolled = ok(await run('reroll', parameters));
	const rows = rolled.json.map(({ index, name, kind, operation }) => [
		index,
		name,
		kind,
		operation,
	]);
	expect(rows).toEqual([
		[null, 'grid', 'image', 'reroll'],
		[1, null, 'image', 'reroll'],
		[2, null, 'image', 'reroll'],
		[3, null, 'image', 'reroll'],
		[4, null, 'image', 'reroll'],
	]);
	expect(rolled.json[0]).toMatchObject({ status: 'completed', task: { serviceStatus: 'SUCCESS' } });
	service.sandbox.requests.clear();
	const all = await run('variation', wait, rolled.items);
	expect(all.error?.message).toBe(
		'"Picture Number" is required: its expression is empty [row 1 (item 0)]',
	);
	expect(sent()).toEqual([]);
	const third = rolled.items.filter(({ json }) => json.index === 3);
	const varied = ok(await run('variation', wait, third));
	expect(sent()).toEqual([{ task_id: rolled.json[0]?.taskId, index: 3 }]);
	expect(varied.json[0]).toMatchObject({ operation: 'variation', family: 'grid' });
	expect(varied.json[0]?.buttons).toBeInstanceOf(Array);
});

test('without a grid before it, the error says how to make one', async () => {
	const { error } = await run('reroll', {}, [{ json: {} }]);
	expect(error?.message).toContain('"Task ID" is required');
	expect(error?.description).toContain('To make a first grid, choose the resource Task');
});

test.each([
	['reroll', 'variation', 'with a note'],
	['reroll', 'reroll', 'without one'],
	['variation', 'variation', 'without one'],
])('a button for %s, given to %s by an expression, is sent %s', async (of, operation, noted) => {
	const { id } = parents().grid({ action: 'IMAGINE' });
	const [offered] = await buttonsOf(id, of);
	const button = String(offered?.value);
	service.sandbox.requests.clear();
	const parameters = { taskId: id, matchBy: 'button', customId: `={{ "${button}" }}` };
	const { json } = await run(operation, parameters, undefined, goOn);
	expect(sent()).toEqual([{ task_id: id, custom_id: button }]);
	const note = `The task has no button "${button}" for this operation: it is sent as it is`;
	expect(json[0]?.notes).toEqual(noted === 'with a note' ? [note] : undefined);
});

test.each([
	['variation', 'button', { custom_id: 'b1' }],
	['variation', 'index', { index: 2 }],
	['reroll', 'button', { custom_id: 'b1' }],
	['reroll', 'reroll', {}],
])('%s, chosen by %s by an expression, is sent without the other choice', async (...row) => {
	const [operation, by, chosen] = row;
	const parameters = { taskId: 't', matchBy: `={{ "${by}" }}`, index: 2, customId: 'b1' };
	const { json } = await run(operation, { ...parameters, options: { checkOnly: true } });
	expect(json[0]).toMatchObject({ problems: [] });
	expect(json[0]?.request).toHaveProperty('body', { task_id: 't', ...chosen });
});

test('a speed that this package does not know is sent as it is, and the user is told', async () => {
	const task = service.sandbox.originals.grid().id;
	service.sandbox.requests.clear();
	const note = 'The speed "warp" is not in this package\'s list: it is sent as it is';
	const parameters = { taskId: task, additionalFields: { speed: '={{ "warp" }}' } };
	const { json } = await run('reroll', parameters, undefined, goOn);
	const [posted] = service.sandbox.requests.list({ path: '/v1/gridart/generations/reroll' });
	expect(posted?.body).toEqual({ task_id: task, speed: 'warp' });
	expect(json[0]?.notes).toEqual([note]);
});
