import type { ICredentialDataDecryptedObject, INode } from 'n8n-workflow';

import {
	getConnection,
	readBrandWords,
	readConnection,
	unknownConnection,
} from '../../../../nodes/shared/api/connection';
import { nodeOf } from '../../../support/node';

const stored = { baseUrl: 'https://api.example.com', apiKey: 'secret' };

describe('The base URL of the credential', () => {
	test.each([
		[' https://api.example.com/base// ', 'https://api.example.com/base'],
		['https://api.example.com/v1', 'https://api.example.com'],
		['https://api.example.com/base/V1/', 'https://api.example.com/base'],
		['http://v1', 'http://v1'],
		['https://api.example.com/v10', 'https://api.example.com/v10'],
		['https://api.example.com', 'https://api.example.com'],
		['https://api.example.com//v2', 'https://api.example.com//v2'],
		['http://localhost:8787/', 'http://localhost:8787'],
		['http://10.0.0.5', 'http://10.0.0.5'],
		['https://10.0.0.5', 'https://10.0.0.5'],
	])('%p is %s', (baseUrl, read) => {
		expect(readConnection({ ...stored, baseUrl }).baseUrl).toBe(read);
	});

	const full =
		'"Base URL" must be a full address that begins with https://, or with http:// on a private host';
	const https =
		'"Base URL" must begin with https://, so that the API key is never sent unencrypted';

	test.each([
		['', full],
		[undefined, full],
		['api.example.com', full],
		['http://api.example.com', https],
		['https://api.example.com?team=7', 'must end before any "?" or "#"'],
		['https://api.example.com/#top', 'must end before any "?" or "#"'],
		['https://me:word@api.example.com', 'must have no user name or password'],
	])('%p is refused', (baseUrl, message) => {
		expect(() => readConnection({ ...stored, baseUrl })).toThrow(message);
	});
});

test('private callbacks are off unless they were switched on', () => {
	expect(readConnection(stored).allowPrivateCallbacks).toBe(false);
	expect(readConnection({ ...stored, allowPrivateCallbacks: true }).allowPrivateCallbacks).toBe(
		true,
	);
	expect(unknownConnection.allowPrivateCallbacks).toBe(false);
});

describe('Brand words', () => {
	test.each<unknown>([undefined, null, '', '  ', '{}', {}])('%j are none', (value) => {
		expect(readBrandWords(value)).toEqual({});
	});

	const given = { gridart: 'acme-grid.v2_x' };

	test.each<unknown>([JSON.stringify(given), given])('%j are read', (value) => {
		expect(readBrandWords(value)).toEqual(given);
		expect(readConnection({ ...stored, brandWords: value }).brandWords).toEqual(given);
	});

	test.each<unknown>([
		...['gridart', '[]', 7],
		...['{"grid": "x"}', '{"gridart": "a/b"}', '{"gridart": ""}', '{"gridart": 7}'],
	])('%j are refused', (value) => {
		expect(() => readBrandWords(value)).toThrow(
			'"Brand Words" must be a JSON object that maps any of musicgen, gridart, imagegen, imgfast, vidgen, vidomni, vendor to a word of letters, digits, dots, dashes or underscores',
		);
	});
});

describe('The key is not shown', () => {
	const connection = readConnection({ ...stored, apiKey: ' secret-1\n' });

	test('wherever an answer of the service repeats it, at any depth and more than once', () => {
		const answer = {
			echo: 'secret-1 and secret-1',
			list: ['a secret-1', 7, null, true],
			inner: { 'key secret-1': { deep: 'secret-1' } },
		};
		expect(connection.redact(answer)).toEqual({
			echo: '••• and •••',
			list: ['a •••', 7, null, true],
			inner: { 'key •••': { deep: '•••' } },
		});
	});

	test('but names of fields stay where the key is a plain word: it may be a part of them', () => {
		const byWord = readConnection({ ...stored, apiKey: 'task' });
		expect(byWord.redact({ data: [{ task_id: '1', task: { task_status: 'a task' } }] })).toEqual({
			data: [{ task_id: '1', task: { task_status: 'a •••' } }],
		});
	});

	test('and names of fields are cleaned where it is none, though it ends in one', () => {
		const byKey = readConnection({ ...stored, apiKey: 'sk-task' });
		expect(byKey.redact({ 'of sk-task': 1 })).toEqual({ 'of •••': 1 });
	});

	describe('in another form:', () => {
		const key = 'sk-Ab/c+d=9"\\ü~é?';
		const withKey = readConnection({ ...stored, apiKey: key });
		const json = JSON.stringify(key).slice(1, -1);
		const base64 = (text: string) => Buffer.from(text).toString('base64');

		const encoded = encodeURIComponent(key);
		const small = encoded.replace(/%../g, (each) => each.toLowerCase());
		const whole = [...Buffer.from(key)].map((byte) => `%${byte.toString(16)}`).join('');
		const bearer = encodeURIComponent(`Bearer ${key}`);
		const query = (auth: string) => `https://example.com/?auth=${auth}&x=1`;
		const ascii = json.replace(
			/[^ -~]/g,
			(each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`,
		);
		const inJson = JSON.stringify(JSON.stringify({ authorization: `Bearer ${key}` }));
		const hex = Buffer.from(key).toString('hex');

		test.each<[string, string, string?]>([
			['as it is', key],
			['after Bearer', `Bearer ${key}`, 'Bearer •••'],
			['URL-encoded', encoded],
			['URL-encoded with small letters', small],
			['URL-encoded in a query, after Bearer', query(bearer), query('Bearer%20•••')],
			['URL-encoded twice', encodeURIComponent(encoded)],
			['URL-encoded in part', encodeURI(key)],
			['URL-encoded in whole', whole],
			['JSON-escaped', json],
			['JSON-escaped in JSON', inJson, String.raw`"{\"authorization\":\"Bearer •••\"}"`],
			['JSON-escaped with its slashes', json.replaceAll('/', '\\/')],
			['JSON-escaped in ASCII', ascii],
			['in hexadecimal digits', hex],
			['in capital hexadecimal digits', hex.toUpperCase()],
		])('%s', (_, text, expected = '•••') => {
			expect(withKey.redact({ error: { message: `It was ${text}.` } })).toEqual({
				error: { message: `It was ${expected}.` },
			});
		});

		test('with a blank, in a form', () => {
			const withBlank = readConnection({ ...stored, apiKey: 'sk-Ab 9' });
			const form = new URLSearchParams({ auth: 'sk-Ab 9', x: '1' }).toString();
			expect(withBlank.redactText(form)).toBe('auth=•••&x=1');
		});

		test.each([
			['the key', key],
			['after Bearer', `Bearer ${key}`],
			['after a name', `user:${key}`],
			['in a header', `x-api-key: ${key}\r\n`],
		])('in base64: %s', (_, text) => {
			for (const encoded of [
				base64(text),
				base64(text).replaceAll('=', ''),
				Buffer.from(text).toString('base64url'),
			]) {
				const shown = withKey.redactText(encoded);
				expect(shown).toContain('•••');
				const left = shown
					.split('•••')
					.map((part) => Buffer.from(part, 'base64').toString('latin1'))
					.join('');
				// A character at each end may be shared with what stands beside the key.
				expect(left.replace(text.replace(key, ''), '').length).toBeLessThanOrEqual(2);
			}
		});

		test('a short key is not looked for in pieces that may stand in any text', () => {
			const short = readConnection({ ...stored, apiKey: 'kz1' });
			expect(short.redact('6b7a31 a3ox kz1')).toBe('6b7a31 a3ox •••');
			const inDigits = readConnection({ ...stored, apiKey: 'kz1a' });
			expect(inDigits.redact('6b7a3161 a3oxYQ')).toBe('••• a3oxYQ');
			const inBase64 = readConnection({ ...stored, apiKey: 'kz1abc' });
			expect(inBase64.redact('6b7a31616263 a3oxYWJj')).toBe('••• •••');
		});
	});

	test('a text with a part of the key stays as it is', () => {
		const long = readConnection({ ...stored, apiKey: 'sk-0123456789abcdef' });
		for (const part of ['sk-01234567', 'c2stMDEyMzQ1', '736b2d3031323334', 'sk%2D0123456'])
			expect(long.redact(part)).toBe(part);
	});

	test.each([['text'], [7], [null], [undefined], [false]])('%p stays as it is', (value) => {
		expect(connection.redact(value)).toBe(value);
	});

	test('in what it signs, which nobody signs without it', () => {
		const signed = connection.sign('x');
		expect(signed).toMatch(/^[\w-]{43}$/);
		expect(readConnection({ ...stored, apiKey: 'secret-1' }).sign('x')).toBe(signed);
		expect(connection.sign('y')).not.toBe(signed);
		expect(readConnection({ ...stored, apiKey: 'secret-2' }).sign('x')).not.toBe(signed);
	});

	test('without a credential nothing is changed', () => {
		const answer = { text: 'secret' };
		expect(unknownConnection.redact(answer)).toBe(answer);
		expect(unknownConnection.redactText('secret')).toBe('secret');
		expect(unknownConnection.sign('x')).toBeUndefined();
	});

	test.each([undefined, '', ' \n', '\u200b'])('a credential with none is refused: %j', (apiKey) => {
		expect(() => readConnection({ ...stored, apiKey })).toThrow('"API Key" is required');
	});
});

describe('The credential of a node', () => {
	const node = nodeOf('Music');
	const withName: INode = { ...node, credentials: { mediaGenApi: { id: '7', name: 'Ours' } } };

	const contextOf = (given: INode, data: ICredentialDataDecryptedObject, asked: string[] = []) => ({
		getNode: () => given,
		getCredentials: async (type: string) => {
			asked.push(type);
			return await Promise.resolve(data);
		},
	});

	test('is read once, and given to n8n with its id for each request', async () => {
		const asked: string[] = [];
		const connection = await getConnection(contextOf(withName, stored, asked));
		expect(connection).toMatchObject({
			baseUrl: stored.baseUrl,
			decrypted: { id: '7', name: 'Ours', type: 'mediaGenApi', data: stored },
		});
		expect(asked).toEqual(['mediaGenApi']);
	});

	const other = { id: '1', name: 'x' };
	const withoutId = { id: null, name: '' };

	test.each<[string, INode]>([
		['a node without credentials', node],
		['a node with another credential only', { ...node, credentials: { other } }],
		['a credential without an id', { ...node, credentials: { mediaGenApi: withoutId } }],
	])('%s has no id to give', async (_, given) => {
		const { decrypted } = await getConnection(contextOf(given, stored));
		expect(decrypted).toMatchObject({ id: '', name: '' });
	});

	test('that cannot be used is an error which names the field', async () => {
		await expect(
			getConnection(contextOf(node, { ...stored, baseUrl: 'api' })),
		).rejects.toMatchObject({
			message: 'The MediaGen credential cannot be used',
			description:
				'"Base URL" must be a full address that begins with https://, or with http:// on a private host.\nNothing was sent to the service.',
		});
	});
});
