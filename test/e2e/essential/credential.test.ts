import { openServer } from '../../support/server';
import { runWorkflow } from '../support/executions';
import { describeOnHosts } from '../support/hosts';
import { chain, httpRequest, itemsOf, mediaGenApi, startByHand, workflow } from '../support/nodes';
import { credentialAt, useSandbox } from '../support/sandbox';

const CREDENTIAL = 'For HTTP Request';

const withCredential = {
	authentication: 'predefinedCredentialType',
	nodeCredentialType: 'mediaGenApi',
};

describeOnHosts("n8n's HTTP Request with the credential", (host) => {
	const sandbox = useSandbox(host, CREDENTIAL);
	const elsewhere = useSandbox(host, 'Another service');

	async function request(url: string) {
		const credentials = mediaGenApi(CREDENTIAL);
		const node = { ...httpRequest('Request', { url, ...withCredential }), credentials };
		return await runWorkflow(host(), chain('HTTP Request', [startByHand, node]));
	}

	test('reads the balance at the base URL', async () => {
		const execution = await request(`${sandbox().url}/v1/balance`);
		expect(execution.error).toBeUndefined();
		expect(execution.json('Request')).toMatchObject([
			{ success: true, remain_credits: expect.any(Number) },
		]);
	});

	test('does not send the key to another address', async () => {
		const execution = await request(`${elsewhere().url}/v1/balance`);
		expect(execution.status).toBe('error');
		expect(elsewhere().requests.list()).toEqual([]);
		expect(JSON.stringify(execution.error)).not.toContain(sandbox().key);
	});

	describe('at a service that redirects', () => {
		const STATUSES = [301, 302, 303, 307, 308];
		const KEY = 'key-of-the-redirecting-service';

		/** Answers `/302?to=<address>` with such a redirect, and anything else with `{}`. */
		async function openRedirecting() {
			/** Addresses that were called, and the key that came along. */
			const calls: Array<{ address: string; key: unknown }> = [];
			const server = await openServer(({ url = '', headers }, response) => {
				const { pathname, searchParams } = new URL(url, 'http://service');
				const key = headers.authorization ?? headers['x-api-key'];
				calls.push({ address: `${headers.host}${pathname}`, key });
				const status = STATUSES.find((each) => pathname.startsWith(`/${each}`));
				const location = searchParams.get('to') ?? '';
				response
					.writeHead(status ?? 200, {
						'content-type': 'application/json',
						...(status && { location }),
					})
					.end('{}');
			});
			return { ...server, calls };
		}

		let service: Awaited<ReturnType<typeof openRedirecting>>;
		let foreign: typeof service;
		beforeAll(async () => {
			[service, foreign] = await Promise.all([openRedirecting(), openRedirecting()]);
			await host().createCredential(credentialAt('Redirected', service.url, KEY));
		});
		afterAll(async () => {
			await service.close();
			await foreign.close();
		});

		test('none is followed, and the key goes nowhere else', async () => {
			const targets = [
				foreign.url, // another port
				foreign.url.replace('127.0.0.1', 'localhost'),
				service.url.replace('127.0.0.1', 'localhost'),
				'',
			].map((to) => `${to}/taken`);
			const urls = STATUSES.flatMap((status) =>
				['', '/v1/messages'].flatMap((path) =>
					targets.map((to) => `${service.url}/${status}${path}?to=${encodeURIComponent(to)}`),
				),
			);
			const items = itemsOf(JSON.stringify(urls.map((url) => ({ url }))));
			const follow = { redirect: { redirect: { followRedirects: true, maxRedirects: 21 } } };
			const settings: Array<[typeVersion: number, method: 'GET' | 'POST', options: object]> = [
				[2, 'GET', { followRedirect: true }],
				[2, 'POST', { followAllRedirects: true }],
				[3, 'GET', follow],
				[3, 'POST', follow],
				[4.2, 'GET', {}],
				[4.2, 'POST', {}],
				[4.3, 'GET', follow],
			];
			const nodes = settings.map(([typeVersion, method, options], at) => ({
				...httpRequest(`Request ${at}`, {
					...{ method, requestMethod: method, url: '={{ $json.url }}', options },
					...withCredential,
				}),
				typeVersion,
				onError: 'continueRegularOutput',
				credentials: mediaGenApi('Redirected'),
			}));
			const all = [startByHand, items, ...nodes];
			const links = { Go: 'Items', Items: [nodes.map(({ name }) => name)] };
			const execution = await runWorkflow(host(), workflow('Redirects', all, links));
			expect(execution.error).toBeUndefined();

			expect(foreign.calls).toEqual([]);
			expect(service.calls.filter(({ address }) => address.endsWith('/taken'))).toEqual([]);
			expect(service.calls).toHaveLength(settings.length * urls.length);
			expect(service.calls.filter(({ key }) => key === KEY)).toHaveLength(service.calls.length / 2);
			expect(service.calls.filter(({ key }) => key === `Bearer ${KEY}`)).toHaveLength(
				service.calls.length / 2,
			);
		});
	});
});
