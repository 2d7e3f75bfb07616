import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { createSandbox, type Sandbox } from '../../../sandbox/service';
import { describeOnHosts } from '../support/hosts';
import { mediaGenApi, startByHand, workflow } from '../support/nodes';
import { credentialFor } from '../support/workflows';

const CREDENTIAL = 'For HTTP Request';

describeOnHosts("n8n's HTTP Request with the credential", (host) => {
	let sandbox: Sandbox;
	let elsewhere: Sandbox;
	beforeAll(async () => {
		[sandbox, elsewhere] = await Promise.all([createSandbox({}), createSandbox({})]);
		await host().createCredential(credentialFor(sandbox, CREDENTIAL));
	});
	afterAll(async () => {
		await sandbox.close();
		await elsewhere.close();
	});

	async function request(url: string) {
		const node = {
			name: 'Request',
			type: 'n8n-nodes-base.httpRequest',
			typeVersion: 4.2,
			parameters: {
				url,
				authentication: 'predefinedCredentialType',
				nodeCredentialType: 'mediaGenApi',
				options: {},
			},
			credentials: mediaGenApi(CREDENTIAL),
		};
		const { id } = await host().importWorkflow(
			workflow('HTTP Request', [startByHand, node], { Go: 'Request' }),
		);
		return await host().run(id, { timeout: 60_000 });
	}

	test('reads the balance at the base URL', async () => {
		const execution = await request(`${sandbox.url}/v1/balance`);
		expect(execution.error).toBeUndefined();
		expect(execution.json('Request')).toMatchObject([
			{ success: true, remain_credits: expect.any(Number) },
		]);
	}, 90_000);

	test('does not send the key to another address', async () => {
		const execution = await request(`${elsewhere.url}/v1/balance`);
		expect(execution.status).toBe('error');
		expect(elsewhere.requests.list()).toEqual([]);
		expect(JSON.stringify(execution.error)).not.toContain(sandbox.key);
	}, 90_000);

	describe('at a service that redirects', () => {
		const STATUSES = [301, 302, 303, 307, 308];
		const KEY = 'key-of-the-redirecting-service';

		/** Addresses that were called, and the key that came along. */
		interface Server {
			url: string;
			calls: Array<{ address: string; key: string | undefined }>;
			close(): void;
		}

		/** Answers `/302?to=<address>` with such a redirect, and anything else with `{}`. */
		async function openServer(): Promise<Server> {
			const calls: Server['calls'] = [];
			const server = createServer(({ url = '', headers }, response) => {
				const { pathname, searchParams } = new URL(url, 'http://service');
				const apiKey = headers['x-api-key'];
				calls.push({
					address: `${headers.host}${pathname}`,
					key: headers.authorization ?? (typeof apiKey === 'string' ? apiKey : undefined),
				});
				const status = STATUSES.find((each) => pathname.startsWith(`/${each}`));
				const location = searchParams.get('to') ?? '';
				response
					.writeHead(status ?? 200, {
						'content-type': 'application/json',
						...(status && { location }),
					})
					.end('{}');
			});
			await new Promise<void>((resolve) => server.listen(0, resolve));
			const close = () => {
				server.closeAllConnections();
				server.close();
			};
			return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls, close };
		}

		let service: Server;
		let foreign: Server;
		beforeAll(async () => {
			[service, foreign] = await Promise.all([openServer(), openServer()]);
			const data = {
				baseUrl: service.url,
				apiKey: KEY,
				allowPrivateCallbacks: true,
				brandWords: '{}',
			};
			await host().createCredential({ name: 'Redirected', type: 'mediaGenApi', data });
		});
		afterAll(() => {
			service.close();
			foreign.close();
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
			const code = `return ${JSON.stringify(urls)}.map((url) => ({ json: { url } }));`;
			const items = {
				name: 'Items',
				type: 'n8n-nodes-base.code',
				typeVersion: 2,
				parameters: { jsCode: code },
			};
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
				name: `Request ${at}`,
				type: 'n8n-nodes-base.httpRequest',
				typeVersion,
				onError: 'continueRegularOutput',
				parameters: {
					...{ method, requestMethod: method, url: '={{ $json.url }}', options },
					...{ authentication: 'predefinedCredentialType', nodeCredentialType: 'mediaGenApi' },
				},
				credentials: mediaGenApi('Redirected'),
			}));
			const definition = workflow('Redirects', [startByHand, items, ...nodes], { Go: 'Items' });
			definition.connections.Items = {
				main: [nodes.map(({ name }) => ({ node: name, type: 'main', index: 0 }))],
			};
			const { id } = await host().importWorkflow(definition);
			const execution = await host().run(id, { timeout: 60_000 });
			expect(execution.error).toBeUndefined();

			expect(foreign.calls).toEqual([]);
			expect(service.calls.filter(({ address }) => address.endsWith('/taken'))).toEqual([]);
			expect(service.calls).toHaveLength(settings.length * urls.length);
			expect(service.calls.filter(({ key }) => key === KEY)).toHaveLength(service.calls.length / 2);
			expect(service.calls.filter(({ key }) => key === `Bearer ${KEY}`)).toHaveLength(
				service.calls.length / 2,
			);
		}, 90_000);
	});
});
