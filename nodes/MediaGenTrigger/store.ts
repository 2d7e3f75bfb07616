import type { IDataObject } from 'n8n-workflow';

import { clock } from '../shared/util/clock';
import type { TriggerMemory } from './triggerMemory';

const KEY = 'seenTasks';

/** n8n keeps this object in the workflow's row, under the node's name. */
interface StaticDataHolder {
	getWorkflowStaticData(type: 'node'): IDataObject;
}

/** Takes over what the workflow's row says of tasks that were seen before. */
export function readSeen(context: StaticDataHolder, memory: TriggerMemory): void {
	memory.seen.merge(context.getWorkflowStaticData('node')[KEY]);
}

/**
 * Leaves what is known of seen tasks for n8n to write. n8n does so a while later, at the end of an execution much
 * later, and by then other calls have written more: so it is given a value that becomes text only when it is written.
 */
export function writeSeen(context: StaticDataHolder, memory: TriggerMemory): void {
	const latest = { toJSON: () => memory.seen.toText(memory.windowHours, clock.now()) };
	context.getWorkflowStaticData('node')[KEY] = latest;
}
