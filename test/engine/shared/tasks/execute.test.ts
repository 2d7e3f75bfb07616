import type { FaultRuleInput } from '../../../../sandbox/service';
import { useShortRequestLimit } from '../../support/clocks';
import { ok } from '../../support/engine';
import { submissions, useSandbox } from '../../support/sandbox';
import { buySounds } from '../../support/scriptedTasks';
import { statusesOf } from '../../support/soundService';

const service = useSandbox();

const SUBMIT = { method: 'POST', path: '/v1/music/generations/sounds' };
const POLL = { method: 'GET', path: '/v1/music/tasks/*' };

const fault = (rule: FaultRuleInput) => service.sandbox.faults.add(rule);

const run = async (count: number, options = {}, more = {}) =>
	await buySounds(service, count, options, more);

/** Nothing is bought twice, and every task that was bought is named in the output or in the message. */
function expectNothingLost(told: string, accepted: number) {
	const { accepted: counted, entries } = service.sandbox.ledger();
	const charged = entries.filter(({ type }) => type === 'charge');
	expect(counted).toBe(accepted);
	expect(charged).toHaveLength(accepted);
	const bodies = submissions(service.sandbox).map(({ body }) => JSON.stringify(body));
	expect(new Set(bodies).size).toBe(bodies.length);
	for (const { taskId } of charged) expect(told).toContain(taskId);
}

describe('a service that does not answer', () => {
	useShortRequestLimit();

	test('after the task was bought, never sells a second one', async () => {
		fault({ match: SUBMIT, effect: { type: 'hang', when: 'after' } });
		const { error } = await run(1);
		expect(service.sandbox.ledger().accepted).toBe(1);
		expect(service.sandbox.requests.list({ path: SUBMIT.path })).toHaveLength(1);
		expect(error?.description).toContain('may have been bought anyway');
	});

	test('within the time limit is told as such', async () => {
		fault({ match: SUBMIT, effect: { type: 'hang' } });
		const { error } = await run(1);
		expect(error?.message).toBe('The request timed out [row 1 (item 0)]');
	});

	test('while polling never loses the task', async () => {
		// Three requests for two tasks.
		fault({ match: POLL, count: 3, effect: { type: 'hang' } });
		const { json } = ok(await run(2));
		expect(statusesOf(json)).toStrictEqual(['completed', 'completed']);
		expectNothingLost(JSON.stringify(json), 2);
	});
});

test('all at once: what is charged is what was accepted, and every task is named', async () => {
	fault({ match: SUBMIT, nth: 2, effect: { type: 'status', status: 429, retryAfter: 1 } });
	fault({ match: SUBMIT, nth: 4, effect: { type: 'status', status: 429 } });
	fault({ match: SUBMIT, nth: 3, effect: { type: 'failTask', message: 'The canvas tore' } });
	fault({ match: SUBMIT, nth: 5, effect: { type: 'duration', ms: null } });
	fault({ match: POLL, nth: 2, count: 2, effect: { type: 'status', status: 500 } });
	fault({ match: POLL, nth: 6, count: 2, effect: { type: 'reset' } });
	const { error } = await run(8, { timeout: 60 });
	expect(error?.description).toContain('The canvas tore');
	expect(error?.description).toContain('after 60 seconds');
	expect(error?.message).toContain('2 of 8 items have no result');
	expectNothingLost(error?.description ?? '', 8);
	const failed = service.sandbox.tasks.list().filter(({ stage }) => stage === 'failed');
	expect(failed).toHaveLength(1);
	expect(service.sandbox.ledger().tasks[failed[0]?.id ?? '']).toMatchObject({
		refunded: expect.any(Number),
	});
});

test('a service that cannot be reached is tried again, and said so', async () => {
	const credential = { ...service.credential(), baseUrl: 'http://127.0.0.1:9' };
	const { error } = await run(1, {}, { credential });
	expect(error?.message).toContain('could not be reached');
	expect(error?.description).toContain('base URL');
});
