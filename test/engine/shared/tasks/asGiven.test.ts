import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { fastClock } from '../../support/clocks';
import { ok } from '../../support/engine';
import { runnerOf } from '../../support/operations';
import { fileItem } from '../../support/sandbox';
import { useSoundService } from '../../support/soundService';

const { service, buy, bought } = useSoundService(() => fastClock(50));

const run = runnerOf(service);

const none = { waitMode: 'none' };

/** The body of the one request, as it came over the wire. */
async function bodyOf(parameters: INodeParameters): Promise<string> {
	ok(await run('music.task.submit', { ...none, body: '', ...parameters }));
	return JSON.stringify(service.sent('POST', '*')[0]?.body);
}

const fields = (...rows: Array<[name: string, value: string]>): INodeParameters => ({
	bodyType: 'fields',
	bodyFields: { field: rows.map(([name, value]) => ({ name, value })) },
});

const json = (body: string, additionalBodyFields?: string): INodeParameters => ({
	bodyType: 'json',
	body,
	options: { additionalBodyFields },
});

const dates = '{ at: new Date(0), all: [DateTime.fromMillis(0, { zone: "utc" })] }';
const sentDates = '"at":"1970-01-01T00:00:00.000Z","all":["1970-01-01T00:00:00.000Z"]';
const prompt: [string, string] = ['prompt', 'Rain'];
const inList = fields(['tags', '={{ ["folk", null, "", 0, [], {}] }}']);
const inObject = fields(['song', '={{ ({ title: "", key: null }) }}']);
const date = fields(['at', '={{ new Date(0) }}']);
const noDate = fields(['at', '={{ new Date("x") }}'], prompt);
const withDates = json('{"a": 1}', `={{ ${dates} }}`);
const protoRow = fields(['__proto__', 'x'], prompt);
const moreProto = json('{"a": 1}', '{"__proto__": 2}');
const proto = '{"__proto__":{"a":1},"deep":{"__proto__":2,"b":[{"__proto__":3}]}}';

test.each<[string, INodeParameters, string]>([
	['null and empty text in a list', inList, '{"tags":["folk",null,"",0,[],{}]}'],
	['null and empty text in an object', inObject, '{"song":{"title":"","key":null}}'],
	['a date, such as the node of a database gives,', date, '{"at":"1970-01-01T00:00:00.000Z"}'],
	['what is beside a date that is not valid', noDate, '{"prompt":"Rain"}'],
	['a name with blanks around it', fields([' prompt ', 'Rain']), '{"prompt":"Rain"}'],
	['an empty object', json('{}'), '{}'],
	['a field named __proto__', json(proto), proto],
	['a row named __proto__', protoRow, '{"__proto__":"x","prompt":"Rain"}'],
	['an additional field named __proto__', moreProto, '{"a":1,"__proto__":2}'],
	['a date, at any depth of an additional field,', withDates, `{"a":1,${sentDates}}`],
])('%s is sent as it was given', async (_, parameters, body) => {
	expect(await bodyOf(parameters)).toBe(body);
});

test.each(['new Date(0)', 'DateTime.fromMillis(0, { zone: "utc" })'])(
	'the date %s is text where a field holds text, and no number',
	async (date) => {
		await run('music.sounds', { ...none, prompt: `={{ ${date} }}` });
		expect(bought()[0]?.body).toMatchObject({ prompt: '1970-01-01T00:00:00.000Z' });
		const { error } = await run('music.sounds', { additionalFields: { bpm: `={{ ${date} }}` } });
		expect(error?.message).toContain('"BPM" must be a whole number');
		expect(bought()).toHaveLength(1);
	},
);

test('what is not a number is no text', async () => {
	const { error } = await run('music.sounds', { ...none, prompt: '={{ Number("a few") }}' });
	expect(error?.message).toContain('"Prompt" must be text');
	expect(bought()).toEqual([]);
});

describe('Additional Body Fields of a sound', () => {
	const buyWith = async (extra?: IDataObject[string]) => {
		const run = { items: [{ json: { prompt: 'Rain', extra } }], given: none };
		return await buy(1, { additionalBodyFields: '={{ $json.extra }}' }, run);
	};

	test.each([undefined, null, '', '  '])(
		'an expression that gives %j is refused: the rest would be bought without it',
		async (extra) => {
			const { error } = await buyWith(extra);
			expect(error?.message).toBe(
				'"Additional Body Fields" is required: its expression is empty [row 1 (item 0)]',
			);
			expect(bought()).toEqual([]);
		},
	);

	test('an empty object adds no field', async () => {
		ok(await buyWith({}));
		expect(bought()).toHaveLength(1);
	});
});

test.each(['fields', 'formData'])('%s: two fields with one name are refused', async (bodyType) => {
	const items = [await fileItem(Buffer.from('x'), 'x.mp3', 'audio/mpeg')];
	const given = { body: '', ...fields(prompt, ['tags', 'folk'], ['prompt', 'Snow']), bodyType };
	const { error } = await run('music.task.submit', given, { items });
	expect(error?.message).toBe(
		'"Body Fields › 3 › Name" must be another name: "prompt" is given twice [row 1 (item 0)]',
	);
	expect(service.requests).toEqual([]);
});

test('a field with the name under which the file is sent is refused: the service would have two of it', async () => {
	const items = [await fileItem(Buffer.from('x'), 'x.mp3', 'audio/mpeg')];
	const given = { body: '', ...fields(prompt, ['file', 'x']), bodyType: 'formData' };
	const { error } = await run('music.task.submit', given, { items });
	expect(error?.message).toContain('"Form Field of the File" must be another name');
	const options = { additionalBodyFields: '{ "file": 7 }' };
	const more = { ...given, ...fields(prompt), bodyType: 'formData', options };
	expect((await run('music.task.submit', more, { items })).error?.message).toBe(error?.message);
	expect(service.requests).toEqual([]);
});

const front = 'https://example.com/front.png';
const side = 'https://example.com/w_400,h_300/side.png';

const references = async (imageUrls: INodeParameters[string]) => {
	const given = { ...none, referenceImages: 'url', imageUrls };
	const { error } = await run('image.generate', given);
	return {
		error,
		sent: service.requests.map(({ body }) => (body as { image_urls: unknown }).image_urls),
	};
};

test.each<[string, INodeParameters[string]]>([
	['commas', [`={{ "${front}, ${side}" }}`]],
	['line breaks', [`={{ "${front}\\r\\n${side}\\n" }}`]],
	['a comma, in one text for all', `={{ "${front},${side}" }}`],
	['a comma, inside a result', `={{ [{ url: "${front},${side}" }] }}`],
])('URLs joined by %s are sent one by one', async (_, imageUrls) => {
	const { sent } = ok(await references(imageUrls));
	expect(sent).toEqual([[front, side]]);
});

test('a URL that is missing between two commas is refused', async () => {
	const { error, sent } = await references([`=${front},{{ $json.none }}`]);
	expect(error?.message).toBe('"Image URLs › 2" is required [row 1 (item 0)]');
	expect(sent).toEqual([]);
});
