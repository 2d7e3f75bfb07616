import { MediaGenVideo } from '../../../nodes/MediaGenVideo/MediaGenVideo.node';
import { newNodeRunner } from '../support/operations';
import { useScriptedService } from '../support/scriptedService';
import { numberTasks } from '../support/scriptedTasks';

const service = useScriptedService();

const run = newNodeRunner(service, new MediaGenVideo(), 'video');

const extend = async (given = {}, brandWords: object = {}) => {
	const credential = { ...service.credential(), brandWords: JSON.stringify(brandWords) };
	const parameters = { taskId: 'task_0', prompt: 'The fog lifts', ...given };
	return await run('remix', parameters, undefined, { credential });
};

const madeBy = (model: string) =>
	service.on('GET', '/v1/tasks/task_0', {
		json: { code: 200, data: { id: 'task_0', status: 'success', model } },
	});

const note = (model: string, given = 'vidgen3.1-fast') =>
	`Task task_0 was made by ${model}, and "Model" is ${given}: the service may refuse it`;

test('Check Only shows the model of another video', async () => {
	madeBy('vidomni-v3-omni');
	const { json } = await extend({ options: { checkOnly: true } });
	expect(json[0]?.notes).toEqual([note('vidomni-v3-omni')]);
});

const renamed = { vidgen: 'acme' };

test.each<[string, string, object, boolean]>([
	['vidgen3.1-fast', 'vidgen3.1-fast', {}, true],
	['vidgen3.1-fast-ext', 'vidgen3.1-fast', {}, true],
	['vidgen3.1-fast', 'vidgen3.1-fast-ext', {}, true],
	['vidgen3.1-fast', 'vidgen3.1-quality', {}, false],
	['vidgen3.1-fast', 'acme3.1-fast', renamed, true],
	['vidgen3.1-quality', 'acme3.1-fast', renamed, false],
	['vidgen3.1-fast', 'vidgen4', {}, false],
	['vidgen3.1-fast', 'vidomni-v3-omni', {}, false],
	['vidomni-v3-omni', 'acmeomni-v3-omni', { vidomni: 'acmeomni' }, true],
])('an extension by %s of a video by %s is sent, with a note if they differ', async (...row) => {
	const [model, original, brand, fits] = row;
	numberTasks(service);
	madeBy(original);
	const { json, error } = await extend({ model }, brand);
	expect(error).toBeUndefined();
	const said = String(json[0]?.notes ?? '');
	expect(said.includes(note(original, model))).toBe(!fits);
	expect(said.includes('was made by')).toBe(!fits);
	expect(service.sent('POST', '/v1/videos/task_0/remix')).toHaveLength(1);
});

test('what a sheet holds: capital booleans, and cells with a blank', async () => {
	numberTasks(service);
	const additionalFields = { watermark: '={{ "TRUE" }}', negativePrompt: ' ' };
	await run('generate', { prompt: 'A pier', additionalFields });
	const [sent] = service.sent('POST', '/v1/videos/generations');
	expect(sent?.body).toMatchObject({ watermark: true });
	expect(sent?.body).not.toHaveProperty('negative_prompt');
});
