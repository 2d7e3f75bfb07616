import { request } from 'node:http';
import type { SandboxOptions } from '../../sandbox/service';
import { bench, type Bench } from './support/sandbox';

interface Call {
	method?: string;
	path?: string;
	headers: Record<string, string>;
}

/** The status of a request with these headers, as a browser or a tunnel on this machine sends it. `fetch` sets some by itself. */
async function call(
	{ sandbox }: Bench,
	{ method = 'GET', path = '/_sandbox/keys', headers }: Call,
): Promise<number | undefined> {
	const { port } = new URL(sandbox.adminUrl);
	const named = Object.fromEntries(
		Object.entries(headers).map(([name, value]) => [name, value.replace('4010', port)]),
	);
	return await new Promise((resolve, reject) => {
		const sent = request({ host: '127.0.0.1', port, method, path, headers: named }, (response) => {
			response.resume().once('end', () => resolve(response.statusCode));
		});
		sent.once('error', reject).end();
	});
}

const open = async (options?: SandboxOptions) => await bench({ ...options });

const host = 'localhost:4010';
const site = (name: string, more = {}) => ({ host, 'sec-fetch-site': name, ...more });

describe('the admin paths', () => {
	it.each([
		['127.0.0.1', { host: '127.0.0.1:4010' }],
		['localhost', { host }],
		['[::1]', { host: '[::1]:4010' }],
		['the address bar of a browser', site('none')],
		['a page of the sandbox', site('same-origin', { origin: 'http://localhost:4010' })],
	])('answer %s', async (_, headers) => {
		expect(await call(await open(), { headers })).toBe(200);
	});

	it.each([
		['a page whose name leads to this machine', { host: 'attacker.example:4010' }],
		['a tunnel, which has a name of its own', { host: 'sandbox.example' }],
		['a tunnel that changes the name', { host, 'x-forwarded-for': '203.0.113.7' }],
		['a proxy that says so', { host, forwarded: 'for=203.0.113.7' }],
		['a page of another site', { host, origin: 'https://attacker.example' }],
		['a page without an origin of its own', { host, origin: 'null' }],
		['another program with a page', site('same-site', { origin: 'http://localhost:5678' })],
		['a link or a picture of another site', site('cross-site')],
	])('do not answer %s', async (_, headers) => {
		const it = await open({ publicUrl: 'http://sandbox.example' });
		expect(await call(it, { headers })).toBeGreaterThanOrEqual(400);
	});

	it('keep what they have when a page of another site posts to them', async () => {
		const it = await bench();
		it.sandbox.setBalance(12);
		const page = { origin: 'https://attacker.example', 'content-type': 'text/plain' };
		const headers = site('cross-site', page);
		expect(await call(it, { method: 'POST', path: '/_sandbox/reset', headers })).toBe(404);
		expect((await it.client.get('/balance')).body.remain_credits).toBe(12);
	});
});

describe('the service', () => {
	it.each([
		['127.0.0.1', '127.0.0.1:4010'],
		['localhost', 'localhost:4010'],
		['[::1]', '[::1]:4010'],
		['an address in the network', '192.168.1.20:4010'],
		['the name of its public URL', 'host.docker.internal:4010'],
		['that name without a port, as behind a proxy', 'host.docker.internal'],
	])('answers under %s', async (_, name) => {
		const it = await open({ publicUrl: 'http://host.docker.internal:4010' });
		expect(await call(it, { path: '/', headers: { host: name } })).toBe(200);
	});

	it.each([
		['a name that it does not know', 'attacker.example:4010'],
		['what is no name', 'a b'],
	])('gives nothing under %s, and does not note it', async (_, name) => {
		const it = await open({ publicUrl: 'http://host.docker.internal:4010' });
		expect(await call(it, { path: '/', headers: { host: name } })).toBe(421);
		const headers = { host: name, authorization: `Bearer ${it.sandbox.key}` };
		expect(await call(it, { path: '/v1/balance', headers })).toBe(421);
		expect(it.sandbox.requests.list()).toEqual([]);
	});
});
