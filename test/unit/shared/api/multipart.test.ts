import { type FileSource, multipartForm } from '../../../../nodes/shared/api/multipart';

const formOf = async (file: Partial<FileSource>) => {
	const whole = { fileName: 'a "1".png', mimeType: 'image/png', bytes: 3, content: [], ...file };
	const { body, headers } = await multipartForm('file', whole, [['model', 'x']]);
	return { text: body.toString(), boundary: headers['content-type'].replace(/.*boundary=/, '') };
};

test.each<[string, FileSource['content']]>([
	['in pieces', [Buffer.from('a'), Buffer.from('bc')]],
	['in base64', 'YWJj'],
	['in base64 with line breaks, which is said to be longer', 'YW\r\nJj\r\n'],
])('a file %s stands whole in its form', async (_, content) => {
	const bytes = typeof content === 'string' ? Buffer.byteLength(content, 'base64') : 3;
	const { text, boundary } = await formOf({ bytes, content });
	expect(text.split('\r\n')).toStrictEqual([
		`--${boundary}`,
		'Content-Disposition: form-data; name="model"',
		'',
		'x',
		`--${boundary}`,
		'Content-Disposition: form-data; name="file"; filename="a %221%22.png"',
		'Content-Type: image/png',
		'',
		'abc',
		`--${boundary}--`,
		'',
	]);
});

test.each([
	['larger', 'abcd'],
	['smaller', 'ab'],
])('a file that is %s than stated is not sent', async (word, content) => {
	await expect(formOf({ content: [Buffer.from(content)] })).rejects.toThrow(
		`The file is ${word} than its stated size`,
	);
});
