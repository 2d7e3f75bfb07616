import { setImmediate, setTimeout as delay } from 'node:timers/promises';

import { turns, until } from '../support/clocks';
import { type Reply, useScriptedService } from '../support/scriptedService';
import { TriggerHost, useManualClock } from '../support/triggerHost';

const time = useManualClock();
const service = useScriptedService();

const RECORD = '/v1/*';
const UNKNOWN: Reply = {
	status: 404,
	json: { error: { message: 'No such task', type: 'not_found', code: 404 } },
};

let host: TriggerHost;
beforeEach(() => {
	host = new TriggerHost(service.credential(), { downloadFiles: false });
});

const callAll = async (count: number, name: string) =>
	await Promise.all(
		Array.from({ length: count }, (_, at) =>
			host.receive({ id: `${name}_${at}`, status: 'completed' }),
		),
	);

const ended = (id: string) => ({
	id,
	status: 'completed',
	progress: 100,
	result: { images: [{ url: ['https://example.com/1.png'] }] },
});

test('forged calls have at most twenty requests to the service open at once', async () => {
	let open = 0;
	let most = 0;
	service.on('GET', RECORD, {
		raw: (response) => {
			most = Math.max(most, ++open);
			// Nothing is answered before: a slow machine would open the twentieth when the first has ended.
			void until(() => most >= 20).then(async () => {
				await delay(10);
				open -= 1;
				response
					.writeHead(404, { 'content-type': 'application/json' })
					.end(JSON.stringify(UNKNOWN.json));
			});
		},
	});
	const answers = await callAll(100, 'forged');
	expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
	expect(most).toBe(20);
});

test('a call that waits too long for its turn is answered 503 without a request', async () => {
	let release = (): void => undefined;
	service.on('GET', RECORD, {
		...UNKNOWN,
		after: new Promise<void>((resolve) => (release = resolve)),
	});
	const first = callAll(20, 'slow');
	while (service.requests.length < 20) await setImmediate();
	const late = host.receive({ id: 'late', status: 'completed' });
	// It gets into the queue.
	for (let turn = 0; turn < 50; turn++) await setImmediate();
	time.advance(5_500);
	release();
	await first;
	expect(await late).toMatchObject({ status: 503, message: 'too many calls at once' });
	expect(service.requests.filter(({ path }) => path.includes('late'))).toEqual([]);
});

test.each([
	['did not know', UNKNOWN],
	['refused', { status: 403, json: { error: { message: 'No' } } }],
])('an id that the service %s is not asked for again within five seconds', async (_, reply) => {
	service.on('GET', RECORD, reply);
	const call = async () => await host.receive({ id: 'nobody', status: 'completed' });
	expect(await call()).toMatchObject({ status: 503 });
	const asked = service.requests.length;
	expect(asked).toBeGreaterThan(0);
	for (let again = 0; again < 20; again++) expect(await call()).toMatchObject({ status: 503 });
	expect(service.requests).toHaveLength(asked);
	time.advance(5_001);
	service.on('GET', '/v1/tasks/nobody', { json: ended('nobody') });
	expect(await call()).toMatchObject({ status: 200, output: { json: [{ taskId: 'nobody' }] } });
});

test('while the service asks for fewer requests, calls are answered 503 without one, and start their executions afterwards', async () => {
	service.on('GET', RECORD, {
		status: 429,
		headers: { 'retry-after': '60' },
		json: { error: { message: 'Slow down' } },
	});
	const call = async (id: string) => await host.receive({ id, status: 'completed' });
	expect(await call('task_0')).toMatchObject({ status: 503 });
	for (let at = 1; at < 50; at++) expect(await call(`task_${at}`)).toMatchObject({ status: 503 });
	expect(service.requests).toHaveLength(1);
	time.advance(60_001);
	service.on('GET', '/v1/tasks/task_0', { json: ended('task_0') });
	expect(await call('task_0')).toMatchObject({
		status: 200,
		output: { json: [{ taskId: 'task_0' }] },
	});
});

test('calls that come together wait for the end of a rate limit of a few seconds, five at a time', async () => {
	let open = 0;
	let most = 0;
	let isLimited = true;
	let refusals = 0;
	service.on('GET', '/v1/tasks/*', {
		raw: (response) => {
			const id = response.req.url?.split('/').at(-1) ?? '';
			const [status, body] = isLimited
				? ([429, { error: { message: 'Slow down' } }] as const)
				: ([200, ended(id)] as const);
			if (!isLimited) most = Math.max(most, ++open);
			void delay(10).then(() => {
				open = Math.max(0, open - 1);
				response
					.writeHead(status, { 'content-type': 'application/json', 'retry-after': '2' })
					.end(JSON.stringify(body), () => {
						if (status === 429) refusals++;
					});
			});
		},
	});
	const calls = callAll(15, 'task');
	await until(() => refusals === 15);
	await turns();
	isLimited = false;
	for (const _slice of Array(10)) {
		time.advance(250);
		await setImmediate();
	}
	const answers = await calls;
	expect(answers.map(({ status }) => status)).toEqual(Array(15).fill(200));
	expect(most).toBeLessThanOrEqual(5);
});

test('a service that asks for an hour of quiet is asked again after half a minute: it calls for the last time within two', async () => {
	const call = async () => await host.receive({ id: 'task_0', status: 'completed' });
	service.on('GET', RECORD, { status: 429, headers: { 'retry-after': '3600' } });
	expect(await call()).toMatchObject({ status: 503 });
	time.advance(24_000);
	service.on('GET', '/v1/tasks/task_0', { json: ended('task_0') });
	expect(await call()).toMatchObject({ status: 503 });
	time.advance(6_001);
	expect(await call()).toMatchObject({ status: 200 });
});
