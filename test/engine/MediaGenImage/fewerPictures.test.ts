import type { INodeParameters } from 'n8n-workflow';

import { MediaGenImage } from '../../../nodes/MediaGenImage/MediaGenImage.node';
import { fastClock } from '../support/clocks';
import { runNode, type RunOptions } from '../support/engine';
import { generatePicture, prompts } from '../support/generatePicture';
import { runnerOf } from '../support/operations';
import { forgetPauses, pauseNode } from '../support/pausedExecution';
import { useScriptedService } from '../support/scriptedService';
import { completedWith, numberTasks, running } from '../support/scriptedTasks';

const service = useScriptedService(() => fastClock(50));

const RECORD = '/v1/tasks/*';

const pictures = (count: number) =>
	completedWith({
		images: Array.from({ length: count }, (_, at) => ({ url: [`https://x.example/${at}.png`] })),
	});

const run = (waitMode: string, given: INodeParameters = {}, rows = 1): RunOptions => ({
	node: new MediaGenImage(),
	parameters: { ...generatePicture, n: 4, waitMode, downloadFiles: false, ...given },
	items: prompts(rows),
	credential: service.credential(),
});

const fewer = 'The service made 2 of the 4 pictures that were asked for';

beforeEach(() => numberTasks(service));

test.each([
	[2, [fewer]],
	[4, undefined],
])('%d pictures of 4: the item says what is missing', async (made, notes) => {
	service.on('GET', RECORD, running, pictures(made));
	const { json } = await runNode(run('poll'));
	expect(json[0]?.results).toHaveLength(made);
	expect(json[0]?.notes).toEqual(notes);
});

test('the reason that the service gives beside them is said, too', async () => {
	const result = { images: [{ url: ['https://x.example/0.png', 'https://x.example/1.png'] }] };
	const error = { message: 'two failed the review' };
	service.on('GET', RECORD, completedWith(result, { error }));
	const { json } = await runNode(run('poll'));
	expect(json[0]?.notes).toEqual([fewer, 'The record also says: two failed the review']);
});

test('after a pause, too', async () => {
	service.on('GET', RECORD, running);
	const execution = await pauseNode(run('callback'));
	service.on('GET', RECORD, pictures(2));
	const { resumed } = await execution.callback({ id: 'task_1', status: 'completed' });
	expect(resumed?.json[0]?.notes).toContain(fewer);
});

test('what was missing before a pause, and came meanwhile, is not said', async () => {
	service.on('GET', '/v1/tasks/task_1', pictures(2));
	service.on('GET', '/v1/tasks/task_2', running);
	const execution = await pauseNode(run('callback', {}, 2));
	expect(execution.waiting[0]?.json.notes).toEqual([
		fewer,
		expect.stringContaining('not read again'),
	]);
	forgetPauses();
	for (const id of ['task_1', 'task_2']) service.on('GET', `/v1/tasks/${id}`, pictures(4));
	const { resumed } = await execution.callback({ id: 'task_2', status: 'completed' });
	expect(resumed?.json[0]?.results).toHaveLength(4);
	expect(resumed?.json[0]?.notes).not.toContain(fewer);
});

test.each([
	[0, [expect.stringContaining('its record lacks some of its files')]],
	[3, ['The service made 3 of the 4 pictures that were asked for']],
	[4, undefined],
])('a grid with %d of its four pictures: the item says what is missing', async (made, notes) => {
	const image_urls = Array.from({ length: made }, (_, at) => `https://x.example/${at}.png`);
	const json = { status: 'SUCCESS', grid_image_url: 'https://x.example/grid.png', image_urls };
	service.on('GET', RECORD, { json });
	const grid = await runnerOf(service)('grid.reroll', { waitMode: 'poll', downloadFiles: false });
	expect(grid.json[0]?.notes).toEqual(notes);
});

test.each<[string, string, unknown[] | undefined]>([
	['an imagine', 'IMAGINE', ['The service made 2 of the 4 pictures that were asked for']],
	['an upscaled picture', 'UPSCALE', undefined],
])('a custom request for %s: a new grid has four', async (_, action, notes) => {
	const image_urls = ['https://x.example/1.png', 'https://x.example/2.png'];
	const json = { status: 'SUCCESS', action, grid_image_url: 'https://x.example/g.png', image_urls };
	service.on('GET', RECORD, { json });
	const submit = {
		path: '/v1/images/imagine',
		bodyType: 'json',
		waitMode: 'poll',
		downloadFiles: false,
	};
	const grid = await runnerOf(service)('grid.task.submit', submit);
	expect(grid.json[0]?.results).toHaveLength(3);
	expect(grid.json[0]?.notes).toEqual(notes);
});

const custom = {
	resource: 'task',
	operation: 'submit',
	path: '/v1/images/upscales',
	bodyType: 'json',
};

test.each<[string, INodeParameters]>([
	['a custom request, whose n may be anything', { ...custom, body: '{ "n": 4 }' }],
	['a task that another execution bought', { options: { existingTaskId: 'task_9' } }],
])('nothing is said of %s', async (_, given) => {
	service.on('GET', RECORD, pictures(2));
	const { json } = await runNode(run('poll', given));
	expect(json[0]?.results).toHaveLength(2);
	expect(json[0]?.notes).toBeUndefined();
});
