import { MediaGenVideo } from '../../../nodes/MediaGenVideo/MediaGenVideo.node';
import { runNode } from '../support/engine';
import { useScriptedService } from '../support/scriptedService';
import { numberTasks } from '../support/scriptedTasks';

const service = useScriptedService();

const extend = async (options = {}) =>
	await runNode({
		node: new MediaGenVideo(),
		parameters: {
			resource: 'video',
			operation: 'remix',
			taskId: 'task_0',
			prompt: 'The fog lifts',
			waitMode: 'none',
			options,
		},
		credential: service.credential(),
	});

const madeBy = (model: string) =>
	service.on('GET', '/v1/tasks/task_0', {
		json: { code: 200, data: { id: 'task_0', status: 'success', model } },
	});

const problem =
	'"Task ID" must be a video by a model that can be extended: vidgen3.1-fast or vidgen3.1-quality; this one was made by vidomni-v3-omni [row 1 (item 0)]';

test('a video that cannot be extended is refused before the extension is bought', async () => {
	numberTasks(service);
	madeBy('vidomni-v3-omni');
	const { error } = await extend();
	expect(error?.message).toBe(problem);
	expect(service.sent('POST', '*')).toEqual([]);
});

test('Check Only shows it', async () => {
	madeBy('vidomni-v3-omni');
	const { json } = await extend({ checkOnly: true });
	expect(json[0]?.problems).toEqual([problem]);
});

test("a video by a model that this package does not know is the service's to refuse", async () => {
	numberTasks(service);
	madeBy('vidgen4');
	const { json, error } = await extend();
	expect(error).toBeUndefined();
	expect(json[0]?.notes).toEqual([
		'Task task_0 was made by vidgen4, and "Model" is vidgen3.1-fast: the service may refuse it',
	]);
	expect(service.sent('POST', '/v1/videos/task_0/remix')).toHaveLength(1);
});

test('what a sheet holds: capital booleans, and cells with a blank', async () => {
	numberTasks(service);
	madeBy('vidgen3.1-fast');
	const { error } = await extend();
	expect(error).toBeUndefined();
	await runNode({
		node: new MediaGenVideo(),
		parameters: {
			...{ resource: 'video', operation: 'generate', prompt: 'A pier', imageInput: 'none' },
			additionalFields: { watermark: '={{ "TRUE" }}', negativePrompt: ' ' },
			waitMode: 'none',
		},
		credential: service.credential(),
	});
	const [sent] = service.sent('POST', '/v1/videos/generations');
	expect(sent?.body).toMatchObject({ watermark: true });
	expect(sent?.body).not.toHaveProperty('negative_prompt');
});
