import { IMAGES, OFFICIAL } from './support/images';
import { bench } from './support/sandbox';

describe('the option taskPaths', () => {
	it('moves the task query of a family', async () => {
		const it = await bench({
			taskPaths: { video: '/v1/videos/{task_id}', music: '/v1/tasks/{task_id}' },
		});
		const { client, sandbox } = it;
		const video = sandbox.originals.video().id;
		const track = sandbox.originals.track().id;
		const picture = await client.submit(IMAGES, OFFICIAL);
		const seen = async (path: string) => {
			const { status, body } = await client.get(path);
			return [path, status, status === 200 ? body.data?.status : body.error?.type];
		};
		for (const [path, status, said] of [
			[`/v1/videos/${video}`, 200, 'success'],
			[`/v1/tasks/${video}`, 404, 'not_found_error'],
			[`/v1/tasks/${track}`, 200, 'completed'],
			[`/v1/music/tasks/${track}`, 404, 'not_found_error'],
			[`/v1/tasks/${picture}`, 200, 'submitted'],
			[`/v1/videos/${picture}`, 404, 'not_found_error'],
		] as const) {
			expect(await seen(path)).toEqual([path, status, said]);
		}
	});

	it('is known to fault rules, which match the family of the queried task', async () => {
		const { client, sandbox } = await bench({ taskPaths: { video: '/v1/clips/{task_id}/state' } });
		const video = sandbox.originals.video().id;
		sandbox.faults.add({
			match: { method: 'GET', family: 'video' },
			effect: { type: 'status', status: 502 },
		});
		expect((await client.get(`/v1/clips/${video}/state`)).status).toBe(502);
		expect((await client.get(`/v1/clips/${video}/state`)).status).toBe(200);
	});
});
