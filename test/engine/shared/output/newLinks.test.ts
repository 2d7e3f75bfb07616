import { MediaGenImage } from '../../../../nodes/MediaGenImage/MediaGenImage.node';
import { fastClock } from '../../support/clocks';
import { readBinary, runNode, type RunResult } from '../../support/engine';
import { generatePicture, prompts } from '../../support/generatePicture';
import { pauseNode } from '../../support/pausedExecution';
import { file, type Reply, useScriptedService } from '../../support/scriptedService';
import { completedWith, numberTasks, running } from '../../support/scriptedTasks';
import { goOn } from '../../support/settings';

const service = useScriptedService(() => fastClock(200));

const picturesAt = (...paths: string[]) =>
	completedWith({ images: paths.map((path) => ({ url: [service.url + path] })) });

/** The record of a task: from the first request for its link on, it has another one. */
const renews = (before: string[], after: string[], taskId = 'task_1') =>
	service.on('GET', `/v1/tasks/${taskId}`, () =>
		service.sent('GET', '/old.png').length > 0 ? picturesAt(...after) : picturesAt(...before),
	);

const buy = (waitMode: string, rows = 1) => ({
	node: new MediaGenImage(),
	parameters: { ...generatePicture, waitMode, options: { pollInterval: 1 } },
	items: prompts(rows),
	credential: service.credential(),
	...goOn,
});

const contentsOf = async ({ items }: Pick<RunResult, 'items'>, at = 0) =>
	await Promise.all(
		Object.values(items[at]?.binary ?? {}).map(async (binary) =>
			(await readBinary(binary)).toString(),
		),
	);

beforeEach(() => {
	numberTasks(service);
	service.on('GET', '/new.png', file('one', 'image/png'));
	service.on('GET', '/2.png', file('two', 'image/png'));
});

describe('A link that expired while another task ran', () => {
	const slow = () => service.on('GET', '/v1/tasks/task_2', running, running, picturesAt('/2.png'));

	test.each([403, 404, 410])('(HTTP %d) is replaced by what the record has now', async (status) => {
		renews(['/old.png'], ['/new.png']);
		slow();
		service.on('GET', '/old.png', { status });
		const run = await runNode(buy('poll', 2));
		expect(run.json[0]).toMatchObject({ taskId: 'task_1', url: `${service.url}/new.png` });
		expect(run.json[0]).not.toHaveProperty('notes');
		expect(await contentsOf(run)).toEqual(['one']);
		expect(await contentsOf(run, 1)).toEqual(['two']);
	});

	test('is replaced after a pause, too', async () => {
		renews(['/old.png'], ['/new.png']);
		service.on('GET', '/v1/tasks/task_2', running);
		const execution = await pauseNode(buy('callback', 2));
		service.on('GET', '/v1/tasks/task_2', picturesAt('/2.png'));
		const { resumed } = await execution.callback({ id: 'task_2', status: 'completed' });
		expect(resumed?.json[0]).toMatchObject({ url: `${service.url}/new.png` });
		expect(await contentsOf({ items: resumed?.items ?? [] })).toEqual(['one']);
	});
});

test.each([403, 404])(
	'A link that is dead (HTTP %d) for a moment after the end of its task is tried again',
	async (status) => {
		service.on('GET', '/v1/tasks/task_1', picturesAt('/2.png', '/new.png'));
		service.on('GET', '/new.png', { status }, file('one', 'image/png'));
		const run = await runNode(buy('poll'));
		expect(await contentsOf(run)).toEqual(['two', 'one']);
		expect(run.json[0]).not.toHaveProperty('notes');
		expect(service.sent('GET', '/2.png')).toHaveLength(1);
	},
);

test('A file whose link works is not downloaded again beside one whose link has expired', async () => {
	renews(['/2.png', '/old.png'], ['/2b.png', '/new.png']);
	const run = await runNode(buy('poll'));
	expect(await contentsOf(run)).toEqual(['two', 'one']);
	expect(service.sent('GET', '/2*.png')).toHaveLength(1);
});

test('Files that the record has in another order by then are not taken for each other', async () => {
	renews(['/2.png', '/old.png'], ['/new.png', '/2.png']);
	const run = await runNode(buy('poll'));
	expect(await contentsOf(run)).toEqual(['two']);
	expect(run.json[0]?.notes).toEqual([expect.stringContaining('/old.png')]);
});

test('A file that fails by a link that is still the same is not tried again beside one with a new link', async () => {
	service.on('GET', '/2.png', { status: 500 });
	renews(['/2.png', '/old.png'], ['/2.png', '/new.png']);
	const run = await runNode(buy('poll'));
	expect(await contentsOf(run)).toEqual(['one']);
	expect(service.sent('GET', '/2.png')).toHaveLength(5);
});

test.each<[string, Reply]>([
	['a rate limit', { status: 429, headers: { 'retry-after': '2' } }],
	['a server error', { status: 502 }],
	['a lost connection', { reset: true }],
])('The record is read again after %s', async (_, reply) => {
	const [before, after] = [picturesAt('/old.png'), picturesAt('/new.png')];
	service.on('GET', '/v1/tasks/task_1', before, reply, after);
	expect(await contentsOf(await runNode(buy('poll')))).toEqual(['one']);
});

const made = { images: [{ url: '/new.png' }] };
const expired: Reply = { json: { code: 200, data: { status: 'expired', result: made } } };

test.each<[string, () => Reply, number?]>([
	['has the same link', () => picturesAt('/old.png')],
	['has another number of files', () => picturesAt('/new.png', '/2.png')],
	['is that of another task', () => completedWith(made, { id: 'x' })],
	['says that the task failed', () => ({ json: { status: 'failed' } })],
	['has new links of a task that expired', () => expired],
	['cannot be read', () => ({ status: 500 }), 6],
])('A dead link whose record then %s is an error, which names it', async (_, reply, reads = 2) => {
	service.on('GET', '/v1/tasks/task_1', picturesAt('/old.png'), reply());
	const { json } = await runNode(buy('poll'));
	const description = `The link of the file is ${service.url}/old.png. The task itself is completed: get it again with the resource Task, operation Get.`;
	expect(json[0]).toMatchObject({
		error: { message: 'File not found [row 1 (item 0)]', description },
	});
	expect(service.sent('GET', '/v1/tasks/task_1')).toHaveLength(reads);
});
