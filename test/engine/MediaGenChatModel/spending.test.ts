import { useChatSandbox } from '../support/chat';
import { ask, user, withModel } from '../support/chatModel';
import { turns, until } from '../support/clocks';
import { useScriptedService } from '../support/scriptedService';
import { chatAnswer } from '../support/scriptedTasks';

const service = useChatSandbox();

const answers = () => service.sandbox.chat.bill().requests.length;

test('Max Tasks holds for all steps of an execution, though n8n supplies the model anew for each', async () => {
	const { error } = await withModel(
		{ credential: service.credential(), options: { maxTasks: 5 }, rounds: 3 },
		async (model) => {
			await model.generate([user('Why?')]);
			for await (const chunk of model.withTools([]).stream([user('Why not?')])) void chunk;
		},
	);
	expect(answers()).toBe(5);
	expect(error?.message).toContain('"Max Tasks" is 5');
	expect(error?.description).toContain(
		'Raise "Max Tasks" in the options, or lower the number of steps',
	);
});

test('a question that was refused does not count to Max Tasks', async () => {
	service.sandbox.faults.add({ effect: { type: 'status', status: 400 } });
	await withModel({ credential: service.credential(), options: { maxTasks: 1 } }, async (model) => {
		await expect(model.generate([user('Why?')])).rejects.toThrow('Bad request');
		await model.generate([user('Why not?')]);
	});
	expect(answers()).toBe(1);
});

test('a question that may have been bought counts', async () => {
	service.sandbox.faults.add({ effect: { type: 'status', status: 500 } });
	await withModel({ credential: service.credential(), options: { maxTasks: 1 } }, async (model) => {
		await expect(model.generate([user('Why?')])).rejects.toThrow('HTTP 500');
		await expect(model.generate([user('Why not?')])).rejects.toThrow('"Max Tasks" is 1');
	});
	expect(service.requests()).toHaveLength(1);
});

test.each([
	['credits', 1_000_000_000, 'the remaining balance is'],
	['balance', 1_000_000, 'and "Keep Balance" is 1000000'],
])('Keep Balance (%s) is read before a question', async (keepBalanceUnit, keepBalance, message) => {
	const { error } = await ask(
		{ credential: service.credential(), options: { keepBalance, keepBalanceUnit } },
		user('Why?'),
	);
	expect(error?.message).toContain(message);
	expect(error?.description).toContain('Top up the balance');
	expect(answers()).toBe(0);
});

test('with enough balance it is asked', async () => {
	const options = { keepBalance: 1, keepBalanceUnit: 'credits' };
	const { error } = await ask({ credential: service.credential(), options }, user('Why?'));
	expect(error).toBeUndefined();
	expect(answers()).toBe(1);
});

describe('a chain that asks all its questions at once', () => {
	const scripted = useScriptedService();

	test('has five of them answered at a time', async () => {
		let [inFlight, most] = [0, 0];
		const body = JSON.stringify(chatAnswer('Four').json);
		scripted.on('POST', '/v1/messages', {
			raw: (response) => {
				most = Math.max(most, ++inFlight);
				// Nothing is answered before the fifth has come, and a sixth would come as soon.
				void until(() => most >= 5)
					.catch(() => undefined)
					.then(async () => await turns())
					.then(() => {
						inFlight--;
						response.writeHead(200, { 'content-type': 'application/json' }).end(body);
					});
			},
		});
		// As a chain does it, each of its items has a model of its own.
		const ofItem = async () => await ask({ credential: scripted.credential() }, user('Why?'));
		const asks = await Promise.all(Array.from({ length: 12 }, ofItem));
		for (const { error } of asks) expect(error).toBeUndefined();
		expect(scripted.sent('POST', '/v1/messages')).toHaveLength(12);
		expect(most).toBe(5);
	});
});
