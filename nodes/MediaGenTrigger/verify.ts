import { type TaskFamily, taskPath } from '../shared/api/family';
import { asError, ServiceFault } from '../shared/api/faults';
import { taskAnswer, type TaskRecord } from '../shared/api/records';
import type { ServiceClient } from '../shared/api/client';

/** A record, with the family whose path gave it. */
export interface FoundRecord {
	record: TaskRecord;
	/** Music has a path of its own; behind the other one are images, grids and videos. */
	path: TaskFamily;
}

/**
 * Reads a task's record at the service, whichever family it is of: the shared path first, unless the callback looks
 * like music. Gives `undefined` for a task that the service does not know; throws a `ServiceFault` for all else.
 */
export async function findRecord(
	client: ServiceClient,
	taskId: string,
	first: TaskFamily | undefined,
): Promise<FoundRecord | undefined> {
	const order: TaskFamily[] = first === 'music' ? ['music', 'image'] : ['image', 'music'];
	for (const path of order) {
		try {
			const request = { method: 'GET', path: taskPath(path, taskId), retry: 'once', timeoutMs: 6_000 } as const;
			return { record: await client.send(request, taskAnswer), path };
		} catch (error) {
			if (!(error instanceof ServiceFault) || error.kind !== 'notFound') throw asError(error);
		}
	}
	return undefined;
}
