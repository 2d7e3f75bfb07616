import { type FileSource, MultipartForm } from '../../../../nodes/shared/api/multipart';
import { readWhole } from '../../../../nodes/shared/n8n/binary';

const abc = () => [Buffer.from('a'), Buffer.from('bc')];

const formOf = (file: Partial<FileSource>) => {
	const whole = { fileName: 'a "1"\r\n.png', mimeType: 'image/png', bytes: 3, open: abc, ...file };
	return new MultipartForm('file', whole, [
		['model', 'x'],
		['n', '2'],
	]);
};

test('a file stands whole in its form, each time that it is read', async () => {
	const form = formOf({});
	const boundary = form.type.replace('multipart/form-data; boundary=', '');
	for (const _attempt of [1, 2]) {
		const sent = await readWhole(form.stream());
		expect(boundary).toMatch(/^-+mediagen-.{36}$/);
		expect(sent).toHaveLength(form.size);
		expect(sent.toString().split('\r\n')).toStrictEqual([
			`--${boundary}`,
			'Content-Disposition: form-data; name="model"',
			'',
			'x',
			`--${boundary}`,
			'Content-Disposition: form-data; name="n"',
			'',
			'2',
			`--${boundary}`,
			'Content-Disposition: form-data; name="file"; filename="a %221%22%0D%0A.png"',
			'Content-Type: image/png',
			'',
			'abc',
			`--${boundary}--`,
			'',
		]);
	}
});

test.each([
	['larger', 'abcd'],
	['smaller', 'ab'],
])('a file that is %s than stated ends the request, and says why', async (word, content) => {
	const form = formOf({ open: () => [Buffer.from(content)] });
	const words = `The file could not be read: it is ${word} than its stated size`;
	await expect(readWhole(form.stream())).rejects.toThrow(words);
	expect(form.failure?.message).toBe(words);
});

test('a form that is read again, or closed, leaves the file', async () => {
	let left = 0;
	function* pieces() {
		try {
			yield Buffer.from('a');
			yield Buffer.from('bc');
		} finally {
			left += 1;
		}
	}
	const form = formOf({ open: pieces });
	for (const _attempt of [1, 2]) {
		const stream = form.stream();
		await stream.next();
		await stream.next();
	}
	expect(left).toBe(1);
	form.close();
	await new Promise(setImmediate);
	expect(left).toBe(2);
});
