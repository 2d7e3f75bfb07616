import { ServiceFault } from '../api/faults';
import { hasEnded } from '../api/status';
import { isTaken, type Outcome } from './outcome';
import { lookAt, readAs, type Run } from './run';

/** Looks once, at once, at each task whose end is not known yet. A look that brings nothing changes nothing. */
export async function lookNow(run: Run, outcomes: readonly Outcome[]): Promise<Outcome[]> {
	return await Promise.all(
		outcomes.map(async (outcome) => {
			if (!isTaken(outcome) || (outcome.read && hasEnded(outcome.read.task.status))) return outcome;
			const answer = await lookAt(run, outcome.taskId)();
			return answer instanceof ServiceFault
				? outcome
				: { ...outcome, read: readAs(run, outcome.taskId, answer) };
		}),
	);
}
