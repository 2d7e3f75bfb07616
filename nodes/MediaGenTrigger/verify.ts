import { type TaskFamily, taskPath } from '../shared/api/families';
import { asError, NotFoundError } from '../shared/api/errors';
import type { TaskRecord } from '../shared/api/records';
import type { MediaGenClient } from '../shared/api/client';

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
	client: MediaGenClient,
	taskId: string,
	first: TaskFamily | undefined,
): Promise<FoundRecord | undefined> {
	const order: TaskFamily[] = first === 'music' ? ['music', 'image'] : ['image', 'music'];
	for (const path of order) {
		try {
			return { record: await client.tasks.retrieve(taskPath(path, taskId), { retry: 'once', timeoutMs: 6_000 }), path };
		} catch (error) {
			if (!(error instanceof NotFoundError)) throw asError(error);
		}
	}
	return undefined;
}
