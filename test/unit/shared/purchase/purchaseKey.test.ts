import fc from 'fast-check';
import { isDeepStrictEqual } from 'node:util';

import { PendingUpload } from '../../../../nodes/shared/n8n/binary';
import { type PaidRequest, purchaseKey } from '../../../../nodes/shared/purchase/purchaseRecords';

const picture: PaidRequest = {
	operation: 'image.generate',
	path: '/v1/images/generations',
	body: { model: 'imagegen-2-official', prompt: 'A lighthouse', size: '16:9', n: 1 },
};

const keyOf = (request: PaidRequest, words = {}, copy = 1) => purchaseKey(request, words, copy);

const upload = (itemIndex: number, property: string, fingerprint: string) =>
	new PendingUpload(itemIndex, property, 'image/png', 70, fingerprint);

/** Values that JSON carries as they are. */
const json = fc.jsonValue().map((value): unknown => JSON.parse(JSON.stringify(value)));

const body = fc.dictionary(fc.string(), json, { maxKeys: 8 });

/** The same value with the fields of every object in another order. */
function shuffled(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(shuffled);
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(
		Object.entries(value)
			.reverse()
			.map(([name, inner]) => [name, shuffled(inner)]),
	);
}

test('The keys of a version are those of all later ones', () => {
	expect(keyOf(picture)).toBe('dfeb5664795198289751ef8935c6c8d8');
	expect(keyOf(picture, {}, 2)).toBe('7cad332771739b3bbb7189fccd8e6d42');
	expect(keyOf({ ...picture, body: { image: upload(0, 'a.png', 'f00d'), label: 'Häuser' } })).toBe(
		'0fe8357f1e02cecbb28d5dc685d0f801',
	);
});

test('A request has the same key in any order of its fields, with any callback address', () => {
	fc.assert(
		fc.property(body, fc.webUrl(), (fields, webhook) => {
			const { webhook: _, ...paid } = fields;
			const again = Object.fromEntries(Object.entries({ ...paid, webhook }).reverse());
			const reordered = Object.fromEntries(
				Object.entries(again).map(([name, value]) => [name, shuffled(value)]),
			);
			expect(keyOf({ ...picture, body: reordered })).toBe(keyOf({ ...picture, body: paid }));
		}),
	);
});

test('Any change of the body makes another key', () => {
	fc.assert(
		fc.property(body, fc.string(), json, (fields, name, value) => {
			fc.pre(name !== 'webhook' && !isDeepStrictEqual(fields[name], value));
			const changed = { ...fields, [name]: value };
			expect(keyOf({ ...picture, body: changed })).not.toBe(keyOf({ ...picture, body: fields }));
		}),
	);
});

const withFile = (fingerprint: string) =>
	keyOf({ ...picture, file: { field: 'image', content: upload(0, 'a', fingerprint) } });

const other: Array<[string, string]> = [
	['the operation', keyOf({ ...picture, operation: 'image.edit' })],
	['the path', keyOf({ ...picture, path: '/v1/images/edits' })],
	['the number of the copy', keyOf(picture, {}, 2)],
	['a brand word of the model', keyOf(picture, { imagegen: 'pictor' })],
	['the file', withFile('f00d')],
	['a file to send as form data', withFile('beef')],
];

test.each(other)('A key differs by %s', (_, key) => {
	expect(key).not.toBe(keyOf(picture));
	expect(other.filter(([, each]) => each === key)).toHaveLength(1);
});

test('A picture counts by its content, not by its item or name', () => {
	const withPicture = (pending: PendingUpload) =>
		keyOf({ ...picture, body: { images: [pending] } });
	const key = withPicture(upload(0, 'a.png', 'f00d'));
	expect(withPicture(upload(7, 'b.png', 'f00d'))).toBe(key);
	expect(withPicture(upload(0, 'a.png', 'beef'))).not.toBe(key);
});
