import { clock } from '../../../../nodes/shared/util/clock';
import { jumpingClock } from '../../support/clocks';
import { pauseNode } from '../../support/pausedExecution';
import { useScriptedService } from '../../support/scriptedService';
import { accepted, buySounds, completed, numberTasks, RECORD, running, SOUNDS, soundRun } from '../../support/scriptedTasks';

const service = useScriptedService(jumpingClock);

const waitMode = { waitMode: 'callback' };

const contextOf = (run: Awaited<ReturnType<typeof buySounds>>['run']) => JSON.stringify(run.data.executionData?.contextData['node:Under Test']);

test('the node pauses until its time limit, and its requests carry the address of the execution', async () => {
	numberTasks(service);
	service.on('GET', RECORD, running);
	const began = clock.now();
	const { paused } = await pauseNode(soundRun(service, { parameters: waitMode }));
	expect(service.sent('POST', SOUNDS)[0]?.body).toMatchObject({ prompt: 'Sound 0', webhook: expect.stringContaining('/webhook-waiting/paused-') });
	const seconds = (new Date(paused.run.waitTill ?? 0).getTime() - began) / 1_000;
	expect(Math.round(seconds)).toBe(86_400);
});

test('the paused execution keeps no purchase record: a resumed one buys nothing from it', async () => {
	numberTasks(service);
	service.on('GET', RECORD, running);
	const { paused } = await pauseNode(soundRun(service, { parameters: waitMode }));
	expect(contextOf(paused.run)).not.toContain('task_1');
});

test('tasks that ended before the pause are not waited for', async () => {
	numberTasks(service);
	service.on('GET', RECORD, completed);
	const { run, json } = await buySounds(service, { count: 2, parameters: waitMode });
	expect(run.waitTill ?? undefined).toBeUndefined();
	expect(json.map(({ status }) => status)).toEqual(['completed', 'completed']);
});

test('an item that failed ends the node instead of pausing it, and the other task is named', async () => {
	service.on('POST', SOUNDS, { status: 400, json: { error: { message: 'Too loud' } } }, accepted('task_2'));
	service.on('GET', RECORD, running, completed);
	const { run, error } = await buySounds(service, { count: 2, parameters: waitMode, options: { concurrency: 1 } });
	expect(run.waitTill ?? undefined).toBeUndefined();
	expect(error?.message).toBe('Bad request: Too loud [item 0] (1 of 2 items have no result)');
	expect(error?.description).toContain('task_2');
});

test('a workflow whose timeout is shorter than the pause is told so, with both figures', async () => {
	numberTasks(service);
	service.on('GET', RECORD, running);
	const run = { workflowSettings: { executionTimeout: 600 } };
	const long = await pauseNode(soundRun(service, { parameters: waitMode, options: { timeout: 3_600 }, run }));
	expect(long.paused.json[0]?.notes).toEqual([
		expect.stringMatching(/up to 3600 seconds, longer than the workflow's timeout of 600 seconds/),
	]);
	const short = await pauseNode(soundRun(service, { parameters: waitMode, options: { timeout: 300 }, run }));
	expect(short.paused.json[0]).not.toHaveProperty('notes');
});

describe('An address that the service would not call is refused before anything is bought', () => {
	test.each([
		['a private host', 'http://10.0.0.5/hook', 'private host 10.0.0.5'],
		["the service's own domain", 'https://api.example.com/hook', "points at the service's own domain"],
		['not an address', 'n8n', '"Callback Base URL" must be a full http or https URL'],
	])('%s', async (_, callbackBaseUrl, words) => {
		const credential = { ...service.credential(), baseUrl: 'https://api.example.com', allowPrivateCallbacks: false };
		const { error } = await buySounds(service, { options: { callbackBaseUrl }, run: { credential } });
		expect(error?.message).toContain(words);
	});

	test('an n8n that the service cannot reach, with what to set', async () => {
		const credential = { ...service.credential(), allowPrivateCallbacks: false };
		const { error } = await buySounds(service, { parameters: waitMode, run: { credential } });
		expect(error?.message).toBe('The service would not call back: the service cannot reach the private host localhost');
		expect(error?.description).toContain('WEBHOOK_URL');
		expect(service.requests).toEqual([]);
	});
});

test('a callback to an unusual port is sent, with a note', async () => {
	numberTasks(service);
	service.on('GET', RECORD, completed);
	const credential = { ...service.credential(), allowPrivateCallbacks: false };
	const callbackBaseUrl = 'https://n8n.example.com:5678/webhook/x';
	const { json } = await buySounds(service, { options: { callbackBaseUrl }, run: { credential } });
	expect(service.sent('POST', SOUNDS)[0]?.body).toMatchObject({ webhook: callbackBaseUrl });
	expect(json[0]?.notes).toEqual(['The callback address uses the port 5678. The service may call the ports 80 and 443 only.']);
});

test('"Additional Body Fields" cannot replace the address while pausing', async () => {
	const { error } = await buySounds(service, { parameters: { ...waitMode, additionalBodyFields: '{"webhook": "https://x.example"}' } });
	expect(error?.message).toContain('"Additional Body Fields" must not have the field "webhook"');
	expect(service.requests).toEqual([]);
});
