import { gzipSync } from 'node:zlib';

import { inflate } from '../../../support/server';
import { fastClock } from '../../support/clocks';
import type { Reply } from '../../support/scriptedService';
import { accepted, completed, serviceError } from '../../support/scriptedTasks';
import { goOn } from '../../support/settings';
import { useSoundService } from '../../support/soundService';

const { onSubmit, onRecord, buy, bought, recordsRead } = useSoundService(() => fastClock(100));

const compressed = ({ status, json }: Reply): Reply => ({
	status,
	headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
	text: gzipSync(JSON.stringify(json)),
});

const bomb: Reply = { raw: inflate };

const WORDS = 'The response has more than 64 MB of text';

test('a record: the wait ends at once, and names the task', async () => {
	onRecord(bomb);
	const before = process.memoryUsage().rss;
	const { json } = await buy(1, {}, goOn);
	expect(json[0]).toMatchObject({
		taskId: 'task_1',
		error: { message: `${WORDS} [row 1 (item 0)]`, description: expect.stringContaining('task_1') },
	});
	expect(recordsRead()).toHaveLength(1);
	expect(process.memoryUsage().rss - before).toBeLessThan(600_000_000);
});

test('a submission: it may have been bought', async () => {
	onSubmit(bomb);
	const { error } = await buy();
	expect(error).toMatchObject({
		message: `${WORDS} [row 1 (item 0)]`,
		description: expect.stringContaining('The task may have been bought anyway'),
	});
	expect(bought()).toHaveLength(1);
});

test('answers that are compressed are read, and so are errors', async () => {
	onSubmit(
		compressed(accepted('task_1')),
		compressed(serviceError(402, 'Top up first', { type: 'payment_required', code: 402 })),
	);
	onRecord(compressed(completed));
	expect((await buy()).json[0]).toMatchObject({
		taskId: 'task_1',
		status: 'completed',
	});
	expect((await buy()).error?.message).toBe('Insufficient balance: Top up first [row 1 (item 0)]');
});
