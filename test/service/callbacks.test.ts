import { type FaultRuleInput, type SandboxOptions, scaledClock } from '../../sandbox/service';
import { addressProblem, callbackUrl } from '../../sandbox/service/core/deliveries/address';
import { post } from '../../sandbox/service/core/deliveries/delivery';
import { words } from '../support/words';
import { IMAGES, OFFICIAL } from './support/images';
import { receiver } from './support/receiver';
import { bench, until, type Bench } from './support/sandbox';

const open: SandboxOptions = { allowPrivateCallbacks: true };

/** Submits an image task with a callback and lets it end. */
async function finished(
	{ client, clock }: Bench,
	webhook: string,
	body: object = {},
): Promise<string> {
	const id = await client.submit(IMAGES, { ...OFFICIAL, ...body, webhook });
	await clock.advance(3_000);
	return id;
}

type Called = { path?: string; body?: object; effect?: FaultRuleInput['effect'] };

/** A task that has ended, whose callbacks are answered so: the last answer counts for all that follow. */
async function calledBack(
	answers: Parameters<typeof receiver> = [],
	{ path = '', body, effect, ...options }: SandboxOptions & Called = {},
) {
	const it = await bench({ ...open, ...options });
	if (effect) it.sandbox.faults.add({ effect });
	const received = await receiver(...answers);
	const id = await finished(it, received.url + path, body);
	return { ...received, it, id };
}

const arrived = async (arrivals: readonly unknown[]) =>
	await until('it has arrived', () => arrivals.length === 1);

const states = ({ sandbox }: Bench) => sandbox.deliveries.list().map(({ state }) => state);

describe('a callback', () => {
	it('has the completed record to <base>/callback', async () => {
		const { it, arrivals, id } = await calledBack([204], { path: '/hooks/7' });
		await until('it has arrived', () => states(it)[0] === 'delivered');

		expect(arrivals).toHaveLength(1);
		expect(arrivals[0]?.path).toBe('/hooks/7/callback');
		expect(arrivals[0]?.contentType).toMatch(/^application\/json/);
		expect(arrivals[0]?.body).toEqual(await it.client.task(id));
		expect(arrivals[0]?.body).toMatchObject({ id, status: 'completed', progress: 100 });
	});

	it('has the failed record', async () => {
		const { arrivals, id } = await calledBack([], { body: { prompt: 'sandbox:fail' } });
		await arrived(arrivals);
		expect(arrivals[0]?.body).toMatchObject({
			id,
			status: 'failed',
			error: { message: expect.stringMatching(/./) as string, code: '' },
		});
	});

	it('can be enveloped like the answer to a query', async () => {
		const { it, arrivals, id } = await calledBack([], { callbackShape: 'enveloped' });
		await arrived(arrivals);
		expect(arrivals[0]?.body).toEqual({ code: 200, data: await it.client.task(id) });
	});

	it('is not sent for a task without webhook', async () => {
		const it = await bench(open);
		await it.client.submit(IMAGES, OFFICIAL);
		await it.clock.advance(3_000);
		expect(it.sandbox.deliveries.list()).toEqual([]);
	});

	it('is not sent before the end, and not twice', async () => {
		const it = await bench(open);
		const { url, arrivals } = await receiver();
		const id = await it.client.submit(IMAGES, { ...OFFICIAL, webhook: url });
		await it.clock.advance(2_999);
		await it.client.task(id);
		expect(it.sandbox.deliveries.list()).toEqual([]);
		await it.clock.advance(1);
		await it.client.task(id);
		await until('it has arrived', () => states(it)[0] === 'delivered');
		await it.clock.advance(600_000);
		expect(arrivals).toHaveLength(1);
		expect(it.sandbox.deliveries.list()).toHaveLength(1);
	});
});

describe('the address of a callback', () => {
	const rules = { allowPrivate: false, ownHosts: [], ownAddress: '127.0.0.1:4010' };

	it.each([
		['https://a.example.com', 'https://a.example.com/callback'],
		['https://a.example.com/', 'https://a.example.com/callback'],
		['https://a.example.com/api', 'https://a.example.com/api/callback'],
		['https://a.example.com/api/', 'https://a.example.com/api/callback'],
		['http://h/waiting/12?signature=abc', 'http://h/waiting/12?signature=abc/callback'],
	])('%s becomes %s', (base, url) => {
		expect(callbackUrl(base)).toBe(url);
	});

	it.each([
		['https://a.example.com/hook?of=row7', 'https://a.example.com/hook/callback?of=row7'],
		['https://a.example.com/hook/?of=row7', 'https://a.example.com/hook/callback?of=row7'],
		['https://a.example.com?x=/y#z', 'https://a.example.com/callback?x=/y#z'],
		['https://a.example.com/api', 'https://a.example.com/api/callback'],
	])('%s becomes %s where the path is extended', (base, url) => {
		expect(callbackUrl(base, 'path')).toBe(url);
	});

	it.each([
		[{}, '/hook?reference=row7/callback'],
		[{ webhookQuery: 'text' }, '/hook?reference=row7/callback'],
		[{ webhookQuery: 'path' }, '/hook/callback?reference=row7'],
	] as const)('with a query is extended as the option %j says', async (options, path) => {
		const { arrivals } = await calledBack([], { path: '/hook?reference=row7', ...options });
		await arrived(arrivals);
		expect(arrivals[0]?.path).toBe(path);
	});

	const PRIVATE = words(`
		127.0.0.1 127.8.8.8 2130706433 localhost n8n.localhost 10.1.2.3 172.16.0.1 172.31.255.255 192.168.0.5
		169.254.169.254 0.0.0.0 [::1] [fd00::1] [fe80::1] [::ffff:192.168.0.5] n8n printer.local
	`);

	it.each([
		...PRIVATE.map((host) => [`http://${host}/x`, /private/] as const),
		['https://a.example.com:8443/x', /port 8443/],
		['http://a.example.com:5678/x', /port 5678/],
		['ftp://a.example.com/x', /scheme ftp/],
		['a.example.com/x', /not a URL/],
		['', /not a URL/],
		['https://api.service.example/x', /own/],
		['https://API.SERVICE.example./x', /own/],
	] as const)('%s is dropped', (base, reason) => {
		expect(addressProblem(base, { ...rules, ownHosts: ['api.service.example'] })).toMatch(reason);
	});

	const PUBLIC = words(`
		http://a.example.com/x https://a.example.com/x http://a.example.com:80/x https://a.example.com:443/x
		http://a.example.com:443/x http://172.32.0.1/x http://8.8.8.8/x https://[2606:4700::1111]/x
	`);

	it.each(PUBLIC)('%s is accepted', (base) => {
		expect(addressProblem(base, rules)).toBeNull();
	});

	it('may be private if that is allowed, but not the service itself, and only http or https', () => {
		const allowed = { ...rules, allowPrivate: true };
		expect(addressProblem('http://127.0.0.1:5678/x', allowed)).toBeNull();
		expect(addressProblem('http://127.0.0.1:4010/x', allowed)).toMatch(/own/);
		expect(addressProblem('ftp://127.0.0.1/x', allowed)).toMatch(/scheme/);
	});

	it('that is invalid is accepted with the submission, and dropped silently when the task ends', async () => {
		const { it, arrivals, id } = await calledBack([], { allowPrivateCallbacks: false });
		await it.clock.advance(600_000);
		expect(arrivals).toEqual([]);
		expect((await it.client.task(id)).status).toBe('completed');
		const reason = '127.0.0.1 is a local or private address';
		expect(it.sandbox.deliveries.list()).toMatchObject([
			{ taskId: id, state: 'dropped', reason, attempts: [] },
		]);
	});
});

describe('a callback that is not delivered', () => {
	/** Lets the clock pass on to each moment at which the sandbox has something to do, and notes when attempts began. */
	async function attemptTimes(it: Bench, answers: number): Promise<number[]> {
		const [delivery] = it.sandbox.deliveries.list();
		const hasEnded = (attempt: number) => delivery?.attempts[attempt]?.endedAt != null;
		for (let attempt = 0; attempt < answers; attempt += 1) {
			await until(`attempt ${attempt + 1} has ended`, () => hasEnded(attempt));
			await it.clock.advance(1_000);
			for (let second = 1; second < 61 && delivery?.attempts.length === attempt + 1; second += 1)
				await it.clock.advance(1_000);
		}
		const began = delivery?.attempts.slice(0, answers).map(({ startedAt }) => startedAt) ?? [];
		return began.map((at) => (at - (began[0] ?? 0)) / 1_000);
	}

	it('for a 5xx is tried again after 10, 30 and 60 seconds, then given up', async () => {
		const { it, arrivals } = await calledBack([503]);
		expect(await attemptTimes(it, 4)).toEqual([0, 10, 40, 100]);
		await it.clock.advance(3_600_000);
		expect(arrivals).toHaveLength(4);
		expect(states(it)).toEqual(['givenUp']);
	});

	it('is delivered at a later attempt, and not sent again', async () => {
		const { it, arrivals } = await calledBack([500, 502, 200]);
		expect(await attemptTimes(it, 3)).toEqual([0, 10, 40]);
		await it.clock.advance(3_600_000);
		expect(arrivals).toHaveLength(3);
		const [delivery] = it.sandbox.deliveries.list();
		expect(delivery?.attempts.map(({ status }) => status)).toStrictEqual([500, 502, 200]);
		expect(states(it)).toEqual(['delivered']);
	});

	it.each([400, 404, 409, 429])('for a %i is not tried again', async (status) => {
		const { it, arrivals } = await calledBack([status]);
		await until('it has been refused', () => states(it)[0] === 'refused');
		await it.clock.advance(3_600_000);
		expect(arrivals).toHaveLength(1);
	});

	it('for a redirect is tried again, and the redirect not followed', async () => {
		const it = await bench(open);
		const { url, arrivals } = await receiver(
			(response) => response.writeHead(307, { location: `${url}/elsewhere` }).end(),
			200,
		);
		await finished(it, `${url}/base`);
		expect(await attemptTimes(it, 2)).toEqual([0, 10]);
		expect(arrivals.map(({ path }) => path)).toStrictEqual(['/base/callback', '/base/callback']);
	});

	it('within 10 seconds counts as not answered', async () => {
		const { it, arrivals } = await calledBack(['never', 200]);
		await until('it is there', () => arrivals.length === 1);
		await it.clock.advance(9_999);
		expect(states(it)).toEqual(['sending']);
		await it.clock.advance(1);
		await until('it has been given up', () => states(it)[0] === 'waiting');
		const [attempt] = it.sandbox.deliveries.list()[0]?.attempts ?? [];
		expect(attempt).toMatchObject({ status: null, error: 'timeout' });
		await it.clock.advance(10_000);
		await until('it is delivered', () => states(it)[0] === 'delivered');
	});

	it('has ten seconds of the receiver, however fast the clock runs', async () => {
		const { url } = await receiver((response) =>
			setTimeout(() => response.writeHead(200).end(), 200),
		);
		const never = new AbortController().signal;
		expect(await post(url, {}, scaledClock(1_000), never)).toEqual({ status: 200, error: null });
	});

	it('to a closed port is retried', async () => {
		const it = await bench(open);
		await finished(it, 'http://127.0.0.1:9');
		expect(await attemptTimes(it, 2)).toEqual([0, 10]);
		const [attempt] = it.sandbox.deliveries.list()[0]?.attempts ?? [];
		expect(attempt).toMatchObject({ status: null, error: 'ECONNREFUSED' });
	});

	it.each([
		['between two attempts', 500, 'waiting'],
		['during an attempt', 'never', 'sending'],
	] as const)('is dropped when the sandbox is reset %s', async (_when, answer, state) => {
		const { it, arrivals } = await calledBack([answer]);
		await until(`it is ${state}`, () => states(it)[0] === state);
		it.sandbox.reset();
		await it.clock.advance(3_600_000);
		expect(arrivals).toHaveLength(1);
	});
});

describe('a callback with a fault', () => {
	it('comes twice, one after the other', async () => {
		const { it, arrivals, busiest } = await calledBack([], {
			effect: { type: 'duplicateCallback', copies: 3 },
		});
		await until(
			'all have arrived',
			() => states(it).filter((state) => state === 'delivered').length === 3,
		);
		expect(new Set(arrivals.map(({ body }) => JSON.stringify(body))).size).toBe(1);
		expect(busiest()).toBe(1);
		expect(it.sandbox.deliveries.list().map(({ kind }) => kind)).toStrictEqual([
			'genuine',
			'duplicate',
			'duplicate',
		]);
	});

	it('comes twice at the same moment', async () => {
		const it = await bench(open);
		const waiting: Array<() => void> = [];
		const { url, busiest } = await receiver((response) => {
			waiting.push(() => response.writeHead(200).end());
			if (waiting.length === 2) for (const answer of waiting) answer();
		});
		it.sandbox.faults.add({ effect: { type: 'duplicateCallback', spacing: 'simultaneous' } });
		await finished(it, url);
		await until('both are delivered', () => states(it).every((state) => state === 'delivered'));
		expect(busiest()).toBe(2);
	});

	it('comes late', async () => {
		const { it, arrivals } = await calledBack([], { effect: { type: 'lateCallback', ms: 45_000 } });
		await it.clock.advance(44_999);
		expect(states(it)).toEqual(['waiting']);
		await it.clock.advance(1);
		await arrived(arrivals);
	});

	it('never comes', async () => {
		const { it, arrivals, id } = await calledBack([], { effect: { type: 'missingCallback' } });
		await it.clock.advance(3_600_000);
		expect(arrivals).toEqual([]);
		expect(it.sandbox.deliveries.list()).toMatchObject([
			{ taskId: id, state: 'withheld', fault: 'fault_1' },
		]);
	});

	it('keeps to the number that may be on their way at the same time', async () => {
		const it = await bench({ ...open, callbackConcurrency: 3 });
		const waiting: Array<() => void> = [];
		const { url, arrivals, busiest } = await receiver((response) => {
			waiting.push(() => response.writeHead(200).end());
			// A moment for a fourth to come.
			if (waiting.length === 3)
				setTimeout(() => waiting.splice(0).forEach((answer) => answer()), 5);
		});
		it.sandbox.deliveries.send({ base: url, body: {}, copies: 12, simultaneous: true });
		await until('all have arrived', () => arrivals.length === 12);
		expect(busiest()).toBe(3);
	});
});
