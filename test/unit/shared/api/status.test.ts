import { hasEnded, knownStatus, type TaskStatus } from '../../../../nodes/shared/api/records';

test.each<[TaskStatus, string[]]>([
	[
		'completed',
		['completed', 'success', 'succeed', 'succeeded', 'done', 'finished', 'SUCCESS', ' Done '],
	],
	[
		'failed',
		[
			'failed',
			'failure',
			'fail',
			'error',
			'cancelled',
			'canceled',
			'expired',
			'rejected',
			'FAILURE',
		],
	],
	['submitted', ['submitted', 'pending', 'queued', 'NOT_START', 'not start']],
	['running', ['in_progress', 'in-progress', 'processing', 'IN_PROGRESS']],
])('%s', (status, words) => {
	expect(words.map(knownStatus)).toEqual(words.map(() => status));
});

test('a word that is not known here', () => {
	expect(knownStatus('marinating')).toBeUndefined();
	expect(knownStatus('')).toBeUndefined();
});

test('completed and failed tasks change no more', () => {
	expect((['submitted', 'running', 'completed', 'failed'] as const).map(hasEnded)).toEqual([
		false,
		false,
		true,
		true,
	]);
});
