import { MediaGenVideo } from '../../../nodes/MediaGenVideo/MediaGenVideo.node';
import { newNodeRunner } from '../support/operations';
import { useScriptedService } from '../support/scriptedService';
import { numberTasks } from '../support/scriptedTasks';

const service = useScriptedService();

const run = newNodeRunner(service, new MediaGenVideo(), 'video');

const extend = async (options = {}) =>
	await run('remix', { taskId: 'task_0', prompt: 'The fog lifts', options });

const madeBy = (model: string) =>
	service.on('GET', '/v1/tasks/task_0', {
		json: { code: 200, data: { id: 'task_0', status: 'success', model } },
	});

const note = (model: string) =>
	`Task task_0 was made by ${model}, and "Model" is vidgen3.1-fast: the service may refuse it`;

test('Check Only shows the model of another video', async () => {
	madeBy('vidomni-v3-omni');
	const { json } = await extend({ checkOnly: true });
	expect(json[0]?.notes).toEqual([note('vidomni-v3-omni')]);
});

test.each(['vidgen4', 'vidomni-v3-omni'])(
	"a video by another model, %s, is the service's to refuse",
	async (model) => {
		numberTasks(service);
		madeBy(model);
		const { json, error } = await extend();
		expect(error).toBeUndefined();
		expect(json[0]?.notes).toEqual([note(model)]);
		expect(service.sent('POST', '/v1/videos/task_0/remix')).toHaveLength(1);
	},
);

test('what a sheet holds: capital booleans, and cells with a blank', async () => {
	numberTasks(service);
	const additionalFields = { watermark: '={{ "TRUE" }}', negativePrompt: ' ' };
	await run('generate', { prompt: 'A pier', additionalFields });
	const [sent] = service.sent('POST', '/v1/videos/generations');
	expect(sent?.body).toMatchObject({ watermark: true });
	expect(sent?.body).not.toHaveProperty('negative_prompt');
});
