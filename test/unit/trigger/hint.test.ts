import { claimedRecord, familyOf, taskIdOf } from '../../../nodes/MediaGenTrigger/hint';
import type { TaskFamily } from '../../../nodes/shared/api/families';

/** What the service says of a finished task (spec, Resources), family by family. */
const RECORDS: Record<TaskFamily, object> = {
	image: {
		id: 'task_1',
		status: 'completed',
		progress: 100,
		result: { images: [{ url: ['https://example.com/1.png'], expires_at: 1_800_000_000 }] },
	},
	music: { id: 'task_1', status: 'completed', result: { music: [{ audio_url: 'https://example.com/1.mp3' }] } },
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
	test.each(Object.entries(RECORDS))('about a task of the family %s shows whose it is', (family, record) => {
		const body = wrap(record);
		expect(taskIdOf(body)).toBe('task_1');
		const claimed = claimedRecord(body);
		expect(claimed && familyOf(claimed)).toBe(family);
	});

	test('may call the id "task_id"', () => {
		expect(taskIdOf(wrap({ task_id: 'task_2', status: 'failed' }))).toBe('task_2');
	});

	test('about a failed task shows no family', () => {
		const claimed = claimedRecord(wrap({ id: 'task_3', status: 'failed', error: { message: 'The canvas tore' } }));
		expect(claimed).toMatchObject({ status: 'failed' });
		expect(claimed && familyOf(claimed)).toBeUndefined();
	});
});

test('A music task that made tags shows its family', () => {
	const claimed = claimedRecord({ id: 'task_4', status: 'completed', result: { upsampled_tags: 'folk, shanty' } });
	expect(claimed && familyOf(claimed)).toBe('music');
});

test.each([[undefined], [null], ['task_1'], [17], [[]], [{}], [{ id: '' }], [{ data: {} }], [{ data: 'task_1' }], [{ status: 'completed' }]])(
	'A body such as %j names no task',
	(body) => expect(taskIdOf(body)).toBeUndefined(),
);
