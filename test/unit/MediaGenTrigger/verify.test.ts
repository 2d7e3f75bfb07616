import { shownFamily } from '../../../nodes/MediaGenTrigger/verify';
import type { TaskFamily } from '../../../nodes/shared/api/families';
import { readTaskId, readTaskRecord } from '../../../nodes/shared/api/records';
import { toTask } from '../../../nodes/shared/output/task';

/** The family that a body shows; `undefined` for a body that is no record. */
function familyOf(body: unknown): TaskFamily | null | undefined {
	const record = readTaskRecord(body);
	return (
		record &&
		shownFamily(
			record.raw,
			toTask(record, { taskId: 'task_1', family: null, operation: 'callback' }, {}, 0).results,
		)
	);
}

/** What the service says of a finished task (spec, Resources), family by family. */
const RECORDS: Record<TaskFamily, object> = {
	image: {
		id: 'task_1',
		status: 'completed',
		progress: 100,
		result: { images: [{ url: ['https://example.com/1.png'], expires_at: 1_800_000_000 }] },
	},
	music: {
		id: 'task_1',
		status: 'completed',
		result: { music: [{ audio_url: 'https://example.com/1.mp3' }] },
	},
	grid: {
		id: 'task_1',
		action: 'IMAGINE',
		status: 'SUCCESS',
		grid_image_url: 'https://example.com/grid.png',
		image_urls: ['https://example.com/1.png'],
		buttons: [],
	},
	video: { id: 'task_1', status: 'completed', result: { video_url: 'https://example.com/1.mp4' } },
};

const ENVELOPES: Array<[string, (record: object) => unknown]> = [
	['bare', (record) => record],
	['enveloped', (record) => ({ code: 200, data: record })],
];

describe.each(ENVELOPES)('A callback with a %s body', (_, wrap) => {
	test.each(Object.entries(RECORDS))('about a task of the family %s shows it', (family, record) => {
		const body = wrap(record);
		expect(readTaskId(body)).toBe('task_1');
		expect(familyOf(body)).toBe(family);
	});

	test('may call the id "task_id"', () => {
		expect(readTaskId(wrap({ task_id: 'task_2', status: 'failed' }))).toBe('task_2');
	});

	test('about a failed task shows no family', () => {
		expect(
			familyOf(wrap({ id: 'task_3', status: 'failed', error: { message: 'The canvas tore' } })),
		).toBeNull();
	});
});

test('A music task that made tags shows its family', () => {
	expect(
		familyOf({ id: 'task_4', status: 'completed', result: { upsampled_tags: 'folk, shanty' } }),
	).toBe('music');
});

test.each([
	[undefined],
	[null],
	['task_1'],
	[17],
	[[]],
	[{}],
	[{ id: '' }],
	[{ data: {} }],
	[{ data: 'task_1' }],
	[{ status: 'completed' }],
])('A body such as %j names no task', (body) => expect(readTaskId(body)).toBeUndefined());

test.each([
	[
		'an audio file without a family of its own',
		{ files: [{ url: 'https://example.com/1.mp3' }] },
		'music',
	],
	[
		'a clip beside its cover',
		{ cover_url: 'https://example.com/1.png', video_url: 'https://example.com/1.mp4' },
		'video',
	],
	['a link that shows nothing', { url: 'https://example.com/1' }, null],
])('A result with %s', (_, result, family) => {
	expect(familyOf({ id: 'task_5', status: 'completed', result })).toBe(family);
});
