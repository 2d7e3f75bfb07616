import { describeInEachBinaryDataMode } from '../../support/binaryDataModes';
import { ok, readBinary } from '../../support/engine';
import { useSandbox } from '../../support/sandbox';
import { buySounds } from '../../support/scriptedTasks';

const service = useSandbox();

const run = async (options = {}) =>
	await buySounds(service, 1, options, { given: { downloadFiles: true } });

const task = () => service.sandbox.tasks.list()[0]?.id;

describeInEachBinaryDataMode((mode) => {
	test('where n8n keeps large files in memory, and only there, a hint says so', async () => {
		const isSaid = async () =>
			(await run()).hints.some(({ message }) => message.includes('keeps binary data in memory'));
		expect(await isSaid()).toBe(false);
		service.sandbox.faults.add({ effect: { type: 'resultBytes', bytes: 21_000_000 } });
		expect(await isSaid()).toBe(mode === 'default');
	});

	test('a file above the limit is refused, and the task is named', async () => {
		service.sandbox.faults.add({ effect: { type: 'resultBytes', bytes: 3_000_000 } });
		const { error } = await run({ maxDownloadSize: 2 });
		expect(error?.message).toContain('larger than the 2 MB');
		expect(error?.description).toContain(task());
	});

	test.each([
		[{ type: 'status', status: 500 } as const],
		[{ type: 'reset' } as const],
		[{ type: 'cutBody' } as const],
	])('a download that goes wrong (%j) is tried again', async (effect) => {
		const whole = await readBinary((await run()).items[0]?.binary?.data);
		service.sandbox.faults.add({ match: { method: 'GET', path: '/files/*' }, effect });
		const { items } = ok(await run());
		expect(await readBinary(items[0]?.binary?.data)).toHaveLength(whole.length);
	});

	test('the key is not sent to the address of a file', async () => {
		await run();
		const files = service.sandbox.requests.list().filter(({ path }) => path.startsWith('/files/'));
		expect(files.length).toBeGreaterThan(0);
		for (const { headers } of files) expect(headers).not.toHaveProperty('authorization');
	});
});
