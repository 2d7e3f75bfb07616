import type { IHttpRequestOptions } from 'n8n-workflow';

import { MediaGenApi } from '../../../credentials/MediaGenApi.credentials';

const stored = { baseUrl: ' https://api.example.com/base ', apiKey: ' secret\n' };

/** Signs a request of any n8n node. n8n's HTTP Request node gives the address as `uri`. */
const sign = async (
	options: Partial<IHttpRequestOptions> & { uri?: string },
	baseUrl = stored.baseUrl,
) => await new MediaGenApi().authenticate({ ...stored, baseUrl }, options as IHttpRequestOptions);

test.each<[string, object]>([
	['url', { url: 'https://api.example.com/v1/balance' }],
	['uri, as the HTTP Request node gives it', { uri: 'https://api.example.com/v1/balance' }],
	['a base and a path', { baseURL: 'https://api.example.com', url: '/v1/balance' }],
	['an empty url beside a uri', { url: '', uri: 'https://api.example.com/v1/balance' }],
	['the port that https has anyway', { url: 'https://api.example.com:443/v1/balance' }],
])('a request to the base URL is signed with the trimmed key: %s', async (_, options) => {
	expect((await sign(options)).headers).toEqual({ Authorization: 'Bearer secret' });
});

test('the messages endpoint takes the key in a header of its own', async () => {
	expect(
		(await sign({ url: 'https://api.example.com/v1/messages', headers: { a: 'b' } })).headers,
	).toEqual({ a: 'b', 'x-api-key': 'secret' });
});

test('the key is not sent unencrypted to a public host, by whichever node; on a private network it may be', async () => {
	const signFor = async (origin: string) => await sign({ url: `${origin}/v1/balance` }, origin);
	await expect(signFor('http://api.example.com')).rejects.toThrow('begins with https://');
	expect((await signFor('http://10.0.0.5:4010')).headers).toHaveProperty('Authorization');
});

const evil = 'https://evil.example.com/';

test.each<[string, object]>([
	['another host', { url: 'https://evil.example.com/v1/balance' }],
	['another host in uri', { uri: 'https://evil.example.com/v1/balance' }],
	['plain http', { url: 'http://api.example.com/v1/balance' }],
	['another port', { url: 'https://api.example.com:8443/v1/balance' }],
	['the host as a user name', { url: 'https://api.example.com@evil.example.com/' }],
	['the host as a part of another', { url: 'https://api.example.com.evil.com/' }],
	['a full address beside a base', { baseURL: 'https://api.example.com', url: evil }],
	['an address of two slashes', { baseURL: 'https://api.example.com', url: '//evil.example.com/' }],
	['another host in uri beside url', { url: 'https://api.example.com/v1/balance', uri: evil }],
	['another host in uri beside an empty url', { url: '', uri: evil }],
])('the key is not sent to %s', async (_, options) => {
	await expect(sign(options)).rejects.toThrow(
		'The MediaGen API key is sent to https://api.example.com only',
	);
});

test('a base URL that is none is said', async () => {
	await expect(sign({ url: 'https://api.example.com' }, 'api')).rejects.toThrow(
		'"Base URL" in the MediaGen credential must be a full address',
	);
});

test('no request follows a redirect, whatever its node asks for', async () => {
	const asked = {
		followRedirect: true,
		followAllRedirects: true,
		maxRedirects: 21,
		disableFollowRedirect: false,
	};
	expect(await sign({ url: 'https://api.example.com/v1/balance', ...asked })).toMatchObject({
		disableFollowRedirect: true,
		followRedirect: false,
		followAllRedirects: false,
		maxRedirects: 0,
	});
});
