import { hasResumed, markResumed } from '../../../../nodes/shared/tasks/waitingExecution';
import { setClock } from '../../../../nodes/shared/util/clock';
import { fastClock } from '../../../engine/support/clocks';

test('a call that n8n 2.x lets through half a minute after the resume has found an execution that n8n could not take up', async () => {
	const clock = fastClock(1);
	setClock(clock);
	expect(hasResumed('pause', true)).toBe(false);
	markResumed('pause');
	await clock.advance(29_000);
	expect(hasResumed('pause', true)).toBe(true);
	await clock.advance(2_000);
	expect(hasResumed('pause', true)).toBe(false);
	// n8n 1.123 may have put it into a queue.
	expect(hasResumed('pause')).toBe(true);
});
