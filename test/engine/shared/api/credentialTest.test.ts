import '../../support/environment';

import { CredentialTestContext } from 'n8n-core';
import type { ICredentialsDecrypted } from 'n8n-workflow';

import { mediaGenApiTest } from '../../../../nodes/shared/api/credentialTest';
import { openServer, trickle } from '../../../support/server';
import { until, useShortRequestLimit } from '../../support/clocks';
import { useSandbox } from '../../support/sandbox';

const service = useSandbox();

async function check(change: object) {
	const credential: ICredentialsDecrypted = {
		id: '1',
		name: 'MediaGen',
		type: 'mediaGenApi',
		data: { ...service.credential(), ...change },
	};
	return await mediaGenApiTest.call(new CredentialTestContext(), credential);
}

test('a key that works', async () => {
	expect(await check({})).toEqual({ status: 'OK', message: 'Connection successful!' });
});

test("a key that the service does not know shows the service's own message", async () => {
	const answer = await fetch(`${service.sandbox.url}/v1/balance`, {
		headers: { authorization: 'Bearer sandbox-key-deleted' },
	});
	const { message, success } = (await answer.json()) as { message: string; success: boolean };
	expect(success).toBe(false);
	expect(await check({ apiKey: 'sandbox-key-deleted' })).toEqual({
		status: 'Error',
		message: `The balance could not be read: ${message}`,
	});
});

test.each([
	['no permission', { apiKey: 'sandbox-key-forbidden' }, 'Permission denied'],
	['no service there', { baseUrl: 'http://127.0.0.1:9' }, 'could not be reached'],
	['no address', { baseUrl: '' }, '"Base URL" must be a full address'],
	['a slash too few', { baseUrl: 'http:/127.0.0.1:9' }, '"Base URL" must be a full address'],
	['plain http in public', { baseUrl: 'http://example.com' }, 'never sent unencrypted'],
])('%s', async (_, change, words) => {
	const { status, message } = await check(change);
	expect(status).toBe('Error');
	expect(message).toContain(words);
});

test('a path too many', async () => {
	const { message } = await check({ baseUrl: `${service.sandbox.url}/api` });
	expect(message).toContain('The service was not found at this address: check "Base URL"');
});

describe('A service that answers a byte at a time', () => {
	useShortRequestLimit(2_000);

	test('is given up after fifteen seconds', async () => {
		let closed = false;
		const server = await openServer((_, response) => {
			response.on('close', () => (closed = true));
			trickle(response, 'application/json');
		});
		expect(await check({ baseUrl: server.url })).toEqual({
			status: 'Error',
			message: 'The request timed out',
		});
		await until(() => closed);
		await server.close();
	});
});
