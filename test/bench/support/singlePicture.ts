import type { WorkflowDefinition } from '../../../sandbox/host';
import { chain, startByWebhook, workflow } from '../../e2e/support/nodes';
import { loopLinks, loopNodes, picture, submitByHand, tell, waitNode } from './nodes';

/** The ways to wait for a picture: two of ours, and the two that n8n's own nodes offer. */
export const WAYS = ['callback', 'resume', 'poll', 'loop'] as const;

export type Way = (typeof WAYS)[number];

export const WAY_TITLES: Record<Way, string> = {
	callback: 'callback (ours)',
	resume: 'HTTP Request + Wait "On Webhook Call"',
	poll: 'poll (ours)',
	loop: 'HTTP Request + Wait + IF loop',
};

/** Whom each of ours is measured against. */
export const ALTERNATIVE = { callback: 'resume', poll: 'loop' } as const;

/**
 * One picture per execution, waited for in each way. Every workflow starts with a call and tells the bench when it goes on.
 *
 * @param told address of the bench's own server
 */
export function singlePicture(
	service: string,
	told: string,
	intervalSeconds: number,
): Record<Way, WorkflowDefinition> {
	const start = (way: Way) => startByWebhook(`bench-${way}`);
	const ours = (way: Way, parameters: object) =>
		chain(way, [start(way), picture('Picture', parameters), tell(told, '$json.taskId')]);
	const called = waitNode({
		resume: 'webhook',
		httpMethod: 'POST',
		options: { webhookSuffix: 'callback' },
	});
	return {
		callback: ours('callback', { waitMode: 'callback' }),
		resume: chain('resume', [
			start('resume'),
			submitByHand(service, '$execution.resumeUrl'),
			called,
			tell(told, '$json.body.id'),
		]),
		poll: ours('poll', { options: { pollInterval: intervalSeconds } }),
		loop: workflow(
			'loop',
			[
				start('loop'),
				submitByHand(service),
				...loopNodes(service, intervalSeconds),
				tell(told, '$json.data.id'),
			],
			{ Go: 'Submit', ...loopLinks('Tell') },
		),
	};
}
