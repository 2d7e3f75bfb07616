import { z } from 'zod/v3';
import { RestClient } from '../../../../sandbox/host/rest/client';
import { type LocalServer, openServer } from '../../../support/server';

describe('A request to n8n', () => {
	let server: LocalServer | undefined;

	afterEach(async () => await server?.close());

	/** Asks a server that gives these answers, one after the other. */
	async function ask(...answers: [status: number, body: object][]): Promise<string[]> {
		server = await openServer((_request, response) => {
			const [status, body] = answers.shift() ?? [500, {}];
			response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
		});
		return await new RestClient(server.url).call(z.array(z.string()), { url: '/rest/executions' });
	}

	test('is sent again where n8n turned it away because its database did not answer', async () => {
		const found = await ask([503, { message: 'Database is not ready!' }], [200, { data: ['one'] }]);
		expect(found).toEqual(['one']);
	});

	test('is not sent again after another refusal', async () => {
		const found = ask([503, { message: 'Starting' }], [200, { data: ['one'] }]);
		await expect(found).rejects.toThrow('GET /rest/executions was answered 503: Starting');
	});
});
