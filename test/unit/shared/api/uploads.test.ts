import { readUpload } from '../../../../nodes/shared/api/uploads';

const BASE_URL = 'https://api.example.com/media';

const NEW_YEAR = Date.UTC(2026, 0, 1);

describe('An uploaded picture', () => {
	const url = 'https://files.example.com/1.png';
	const dated = { url, created_at: '2026-01-01T00:00:00Z' };

	test.each<[string, object, object]>([
		['bare', { url, created_at: 1_767_225_600 }, { url, createdAt: 1_767_225_600_000 }],
		['in data', { code: 200, data: dated }, { url, createdAt: NEW_YEAR }],
		['beside data of another kind', { url, data: { size: 7 } }, { url }],
		['by plain http', { url: 'http://x.example/1.png' }, { url: 'http://x.example/1.png' }],
		['relative', { url: '/files/1.png' }, { url: 'https://api.example.com/files/1.png' }],
		['without a scheme', { url: 'x.example/1.png' }, { url: 'https://x.example/1.png' }],
		['in a list', { data: [{ url, created_at: null }] }, { url, createdAt: undefined }],
	])('%s', (_, answer, expected) => {
		expect(readUpload(answer, BASE_URL)).toMatchObject(expected);
	});

	const urls = [null, 'file:///etc/passwd', 'at https://x.example'].map((each) => ({ url: each }));

	test.each([undefined, {}, { data: {} }, ...urls])('%j has no link', (answer) => {
		expect(readUpload(answer, BASE_URL)).toBeUndefined();
	});
});
