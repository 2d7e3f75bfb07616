import { hasEnded, knownStatus, type TaskStatus } from '../../../../nodes/shared/api/records';
import { words } from '../../../support/words';

const COMPLETED = words('completed success succeed succeeded done finished SUCCESS');
const FAILED = words('failed failure fail error cancelled canceled expired rejected FAILURE');

test.each<[TaskStatus, string[]]>([
	['completed', [...COMPLETED, ' Done ']],
	['failed', FAILED],
	['submitted', ['submitted', 'pending', 'queued', 'NOT_START', 'not start']],
	['running', ['in_progress', 'in-progress', 'processing', 'IN_PROGRESS']],
])('%s', (status, told) => {
	expect(told.map(knownStatus)).toEqual(told.map(() => status));
});

test('a word that is not known here', () => {
	expect(knownStatus('marinating')).toBeUndefined();
	expect(knownStatus('')).toBeUndefined();
});

test('completed and failed tasks change no more', () => {
	const statuses = ['submitted', 'running', 'completed', 'failed'] as const;
	expect(statuses.filter(hasEnded)).toEqual(['completed', 'failed']);
});
