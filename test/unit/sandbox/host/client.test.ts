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
			if (status === 0) return response.destroy();
			response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
		});
		return await new RestClient(server.url).call(z.array(z.string()), { url: '/rest/executions' });
	}

	test.each([
		[503, 'Database is not ready!'],
		[500, 'SQLITE_ERROR: cannot start a transaction within a transaction'],
	])('is sent again where its database was busy: %i %s', async (status, message) => {
		expect(await ask([status, { message }], [200, { data: ['one'] }])).toEqual(['one']);
	});

	test('that reads is sent again on a closed connection', async () => {
		expect(await ask([0, {}], [200, { data: ['one'] }])).toEqual(['one']);
	});

	test('is not sent again after another refusal', async () => {
		const found = ask([503, { message: 'Starting' }], [200, { data: ['one'] }]);
		await expect(found).rejects.toThrow('GET /rest/executions was answered 503: Starting');
	});
});
