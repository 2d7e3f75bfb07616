import { shownFamily } from '../../../nodes/MediaGenTrigger/verify';
import type { TaskFamily } from '../../../nodes/shared/api/families';
import { readTaskId, readTaskRecord } from '../../../nodes/shared/api/records';
import { toTask } from '../../../nodes/shared/output/task';

/** The family that a body shows; `undefined` for a body that is no record. */
function familyOf(body: unknown): TaskFamily | null | undefined {
	const record = readTaskRecord(body);
	if (!record) return undefined;
	const origin = { taskId: 'task_1', family: null, operation: 'callback' };
	return shownFamily(record.raw, toTask(record, origin, {}).results);
}

const link = (name: string) => `https://example.com/${name}`;

const track = { url: link('1.mp3') };
const clip = { video_url: link('1.mp4') };
const grid = { grid_image_url: link('grid.png'), image_urls: [link('1.png')], buttons: [] };

test.each<[string, object, TaskFamily | null]>([
	['a grid', { action: 'IMAGINE', status: 'SUCCESS', ...grid }, 'grid'],
	['a grid by a link after a blank', { ...grid, grid_image_url: ` ${link('g.png')}` }, 'grid'],
	['a picture of a grid that is no link', { ...grid, grid_image_url: 'none' }, null],
	['tags', { result: { upsampled_tags: 'folk, shanty' } }, 'music'],
	['an audio file without a family of its own', { result: { files: [track] } }, 'music'],
	['a clip beside its cover', { result: { cover_url: link('1.png'), ...clip } }, 'video'],
	['a link that shows nothing', { result: { url: link('1') } }, null],
	['a failure', { status: 'failed', error: { message: 'The canvas tore' } }, null],
])('A callback with %s shows its family, bare or in an envelope', (_, fields, family) => {
	const record = { id: 'task_1', status: 'completed', ...fields };
	for (const body of [record, { code: 200, data: record }]) {
		expect(readTaskId(body)).toBe('task_1');
		expect(familyOf(body)).toBe(family);
	}
});
