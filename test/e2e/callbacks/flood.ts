import type { Sandbox } from '../../../sandbox/service';
import type { createSender, Sent } from './sender';
import { buyMany, recordOf } from './tasks';

export interface Flood {
	taskIds: string[];
	/** Those of them that are called back more than once in the same moment. */
	simultaneous: Set<string>;
	/** How many callbacks it takes altogether. */
	size: number;
	/** Sends them all, and gives what became of each. `onAccepted` is told how many have been accepted so far. */
	run(
		url: string,
		sender: ReturnType<typeof createSender>,
		onAccepted?: (accepted: number) => void,
	): Promise<Sent[]>;
}

const copiesOf = (index: number) => 1 + (index % 3);

const atOnce = (index: number) => Math.floor(index / 3) % 2 === 0;

/**
 * Tasks that have ended, to be called back one to three times each: half of the duplicates at the same moment, half of them
 * each as soon as the one before it has been dealt with.
 */
export async function prepareFlood(sandbox: Sandbox, tasks: number): Promise<Flood> {
	const taskIds = await buyMany(sandbox, tasks);
	const bodies: unknown[] = [];
	for (const taskId of taskIds) bodies.push(await recordOf(sandbox, taskId));
	return {
		taskIds,
		simultaneous: new Set(taskIds.filter((_, index) => copiesOf(index) > 1 && atOnce(index))),
		size: taskIds.reduce((sum, _, index) => sum + copiesOf(index), 0),
		async run(url, sender, onAccepted = () => undefined) {
			let accepted = 0;
			async function push(index: number): Promise<Sent> {
				const sent = await sender.send(url, taskIds[index] ?? '', bodies[index]);
				if (sent.accepted) onAccepted((accepted += 1));
				return sent;
			}
			async function pushCopies(index: number): Promise<Sent[]> {
				const copies = Array.from({ length: copiesOf(index) });
				if (atOnce(index)) return await Promise.all(copies.map(() => push(index)));
				const sent: Sent[] = [];
				for (const _ of copies) sent.push(await push(index));
				return sent;
			}
			return (await Promise.all(taskIds.map((_, index) => pushCopies(index)))).flat();
		},
	};
}
