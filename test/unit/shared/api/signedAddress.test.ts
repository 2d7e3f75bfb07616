import { createHmac } from 'node:crypto';

import {
	checkReference,
	checkSecret,
	readReference,
	secretDigest,
	withReference,
	withSecret,
} from '../../../../nodes/shared/api/signedAddress';

const signerOf = (key: string) => ({
	sign: (text: string): string | undefined =>
		createHmac('sha256', key).update(text).digest('hex').slice(0, 16),
});

const signer = signerOf('key');

const unable = { sign: () => undefined };

const TRIGGER = 'https://n8n.example.com/webhook/1f2e';

/** The parameters of an address, as n8n gives them to a node. */
const queryOf = (address: string): Record<string, unknown> =>
	Object.fromEntries(new URL(address).searchParams);

describe('a reference in the address of a trigger', () => {
	test('goes unsigned without a key', () => {
		expect(withReference(unable, TRIGGER, 'row 7')).toBe(`${TRIGGER}?reference=row%207`);
	});

	test('is added to an address that is none, as to any text', () => {
		expect(withReference(unable, 'nowhere', 'row 7')).toBe('nowhere?reference=row%207');
	});

	test('is right behind a proxy and in the test URL', () => {
		const read = readReference(queryOf(withReference(signer, `${TRIGGER}/`, 'row 7')));
		for (const seen of ['http://localhost:5678/webhook/1f2e', 'http://x/webhook-test/1f2e/'])
			expect(checkReference(signer, seen, read)).toBe('right');
	});

	test.each([
		['of the folder alone', 'https://n8n.example.com/1f2e/webhook', signer],
		['without a key', TRIGGER, unable],
	])('is wrong %s', (_case, address, by) => {
		const read = readReference(queryOf(withReference(signer, TRIGGER, 'row 7')));
		expect(checkReference(by, address, read)).toBe('wrong');
	});

	test('is wrong without its text, or with half a signature', () => {
		const read = readReference(queryOf(withReference(signer, TRIGGER, 'row 7')));
		expect(checkReference(signer, TRIGGER, { ...read, reference: undefined })).toBe('wrong');
		const half = read.signature?.slice(0, 8);
		expect(checkReference(signer, TRIGGER, { ...read, signature: half })).toBe('wrong');
	});

	test('is never right where the key signs nothing', () => {
		const nothing = { sign: () => '' };
		expect(checkReference(nothing, TRIGGER, { reference: 'a', signature: '' })).toBe('wrong');
	});

	test('is not a signature of anything else', () => {
		const signature = signer.sign(JSON.stringify(['', '1f2e', 'a']));
		expect(checkReference(signer, TRIGGER, { reference: 'a', signature })).toBe('wrong');
	});

	test('that is no text is none', () => {
		const none = { reference: undefined, signature: undefined };
		expect(readReference({ reference: ['a', 'b'], signature: 7 })).toEqual(none);
	});
});

describe('the secret of a paused execution', () => {
	const RESUME = 'https://n8n.example.com/webhook-waiting/12';

	const check = (by: typeof signer, executionId: string, query: object, address = RESUME) =>
		checkSecret(by, address, executionId, { ...query }, () => undefined);

	test('is wrong for another execution, another key, and a reference', () => {
		const query = queryOf(withSecret(signer, RESUME, '12'));
		expect(check(signer, '13', query)).toBe('wrong');
		expect(check(signerOf('other'), '12', query)).toBe('wrong');
		const secret = signer.sign(JSON.stringify(['', '12']));
		expect(check(signer, '12', { secret })).toBe('wrong');
		expect(check(signer, '12', {})).toBe('missing');
	});

	test('stays right for another key by its digest, which does not tell it', () => {
		const address = withSecret(signer, RESUME, '12');
		const { secret } = queryOf(address);
		const digest = secretDigest(address);
		const checkBy = (by: unknown, given: unknown) =>
			checkSecret(signerOf('other'), RESUME, '12', { secret: given }, () => by);
		expect(digest).toMatch(/^[\w-]{43}$/);
		expect(checkBy(digest, secret)).toBe('right');
		expect(checkBy(digest, `${String(secret)}/callback`)).toBe('right');
		expect(checkBy(digest, `${String(secret)}x`)).toBe('wrong');
		expect(checkBy(digest, digest)).toBe('wrong');
		expect(checkBy(undefined, secret)).toBe('wrong');
		expect(checkBy(7, secret)).toBe('wrong');
	});

	test('has no digest where there is none', () => {
		expect(secretDigest(RESUME)).toBeUndefined();
		expect(secretDigest(`${RESUME}?signature=abc`)).toBeUndefined();
		expect(secretDigest('nowhere')).toBeUndefined();
	});

	test('is left to n8n where n8n signs the address', () => {
		const signed = `${RESUME}?signature=abc`;
		expect(withSecret(signer, signed, '12')).toBe(signed);
		expect(check(signer, '12', {}, signed)).toBe('right');
	});

	test('is none without a key', () => {
		expect(withSecret(unable, RESUME, '12')).toBe(RESUME);
		expect(check(unable, '12', { secret: 'x' })).toBe('wrong');
	});

	test('goes with an address that cannot be read', () => {
		expect(withSecret(signer, 'nowhere', '12')).toMatch(/^nowhere\?secret=/);
		expect(check(signer, '12', {}, 'nowhere')).toBe('missing');
	});
});
