import { fastClock } from '../../support/clocks';
import { file } from '../../support/scriptedService';
import { completedWith, failed, songAt, soundTool } from '../../support/scriptedTasks';
import { goOn } from '../../support/settings';
import { useSoundService } from '../../support/soundService';

const { service, onRecord, buy, recordsRead } = useSoundService(() => fastClock(10));

const songs = () => ['1', '2'].map((file) => `${service.url}/${file}.mp3`);

const row = { prompt: 'Rain', taskId: 'parent', status: 'new' };

beforeEach(() => {
	for (const name of ['1', '2'])
		service.on('GET', `/${name}.mp3`, file(`song ${name}`, 'audio/mpeg'));
	onRecord(completedWith(songAt(...songs()), { cost: 0.1 }));
});

const fileNames = { fileName: '={{ $json.prompt }}', reference: 'row 7', includeInput: true };

const run = async (parameters = {}, options = {}, more = {}) =>
	await buy(
		1,
		{ ...fileNames, ...options },
		{ given: { downloadFiles: true, ...parameters }, items: [{ json: row }], ...more },
	);

test('one item per file has its own file in the same field', async () => {
	const { items, json } = await run({ output: 'files' }, { binaryPropertyName: 'song' });
	expect(items.map(({ binary }) => Object.keys(binary ?? {}))).toEqual([['song'], ['song']]);
	expect(
		json.map(({ index, fileName, mimeType, fileSize, reference, input }) => [
			index,
			fileName,
			mimeType,
			fileSize,
			reference,
			input,
		]),
	).toEqual([
		[1, 'Rain.mp3', 'audio/mpeg', 6, 'row 7', row],
		[2, 'Rain-2.mp3', 'audio/mpeg', 6, 'row 7', row],
	]);
	expect(json).toMatchObject(Array(2).fill({ kind: 'audio', status: 'completed' }));
	expect(items.map(({ pairedItem }) => pairedItem)).toStrictEqual([{ item: 0 }, { item: 0 }]);
});

test.each([
	['an object', '={{ { sku: $json.prompt } }}', '{"sku":"Rain"}'],
	['a list', '={{ [$json.prompt, 7] }}', '["Rain",7]'],
	['true', '={{ true }}', 'true'],
	['a date', '={{ new Date(0) }}', '1970-01-01T00:00:00.000Z'],
	["n8n's date", '={{ DateTime.fromMillis(0).toUTC() }}', '1970-01-01T00:00:00.000Z'],
	['nothing', '={{ null }}', undefined],
])('a reference that is %s comes back as text', async (_, reference, text) => {
	const { json } = await run({}, { reference });
	expect(json[0]?.reference).toBe(text);
});

test('without Simplify, the item of a failed task has the record as it came', async () => {
	onRecord(failed('Too loud', { seed: 7 }));
	const { json } = await run({}, { simplify: false, includeInput: false }, goOn);
	expect(json).toMatchObject([
		{
			taskId: 'task_1',
			status: 'failed',
			reference: 'row 7',
			record: { status: 'failed', error: { message: 'Too loud' }, seed: 7 },
			error: { message: expect.stringContaining('Too loud') as string },
		},
	]);
	expect(json[0]).not.toHaveProperty('results');
});

test('as a tool of an agent the item is short, and nothing is downloaded', async () => {
	const { json, items } = await run({}, {}, { node: soundTool() });
	expect(json).toEqual([
		{
			taskId: 'task_1',
			status: 'completed',
			url: `${service.url}/1.mp3`,
			urls: [`${service.url}/1.mp3`, `${service.url}/2.mp3`],
			markdown: `[audio](${service.url}/1.mp3)\n[audio](${service.url}/2.mp3)`,
			cost: 0.1,
		},
	]);
	expect(items[0]).not.toHaveProperty('binary');
	expect(service.sent('GET', '/*.mp3')).toEqual([]);
});

test('a tool of an agent cannot pause, and says what to set', async () => {
	const { json } = await run({ waitMode: 'callback' }, {}, { node: soundTool() });
	expect(json[0]?.error).toMatchObject({
		message: 'A tool of an AI agent cannot pause the execution',
		description: 'Set "Wait for Result" to "Poll Here".',
	});
	expect(service.requests).toEqual([]);
});

test('without a wait nothing is downloaded', async () => {
	const { json, items } = await run({ waitMode: 'none' });
	expect(json[0]).toMatchObject({ taskId: 'task_1', status: 'submitted', results: [] });
	expect(items[0]).not.toHaveProperty('binary');
	expect(recordsRead()).toEqual([]);
});
