import { hasEnded, knownStatus, type TaskStatus } from '../../../../nodes/shared/api/records';
import { words } from '../../../support/words';

const COMPLETED = words('completed complete success succeed succeeded done finished SUCCESS');
const FAILED = words('failed failure fail error cancelled canceled expired rejected FAILURE');
const SUBMITTED = words(
	'submitted pending queued queueing NOT_START not_started created accepted waiting',
);

test.each<[TaskStatus, string[]]>([
	['completed', [...COMPLETED, ' Done ']],
	['failed', FAILED],
	['submitted', [...SUBMITTED, 'not start']],
	['running', words('in_progress in-progress processing running generating started IN_PROGRESS')],
])('%s', (status, told) => {
	expect(told.map(knownStatus)).toEqual(told.map(() => status));
});

test('a word that is not known here', () => {
	expect(knownStatus('marinating')).toBeUndefined();
	// Nothing says that the service refunds it.
	expect(knownStatus('timeout')).toBeUndefined();
	expect(knownStatus('')).toBeUndefined();
});

test('completed and failed tasks change no more', () => {
	const statuses = ['submitted', 'running', 'completed', 'failed'] as const;
	expect(statuses.filter(hasEnded)).toEqual(['completed', 'failed']);
});
