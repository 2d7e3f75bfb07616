import type { WorkflowDefinition } from '../../../sandbox/host';
import { startByWebhook, workflow } from '../../e2e/support/nodes';
import { loopLinks, loopNodes, picture, submitByHand, tell } from './nodes';

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
	const ourTask = '$json.taskId';
	return {
		callback: workflow(
			'callback',
			[
				startByWebhook('bench-callback'),
				picture('Picture', { waitMode: 'callback' }),
				tell(told, ourTask),
			],
			{ Go: 'Picture', Picture: 'Tell' },
		),
		resume: workflow(
			'resume',
			[
				startByWebhook('bench-resume'),
				submitByHand(service, '$execution.resumeUrl'),
				{
					name: 'Wait',
					type: 'n8n-nodes-base.wait',
					typeVersion: 1.1,
					parameters: {
						resume: 'webhook',
						httpMethod: 'POST',
						options: { webhookSuffix: 'callback' },
					},
				},
				tell(told, '$json.body.id'),
			],
			{ Go: 'Submit', Submit: 'Wait', Wait: 'Tell' },
		),
		poll: workflow(
			'poll',
			[
				startByWebhook('bench-poll'),
				picture('Picture', { options: { pollInterval: intervalSeconds } }),
				tell(told, ourTask),
			],
			{ Go: 'Picture', Picture: 'Tell' },
		),
		loop: workflow(
			'loop',
			[
				startByWebhook('bench-loop'),
				submitByHand(service),
				...loopNodes(service, intervalSeconds),
				tell(told, '$json.data.id'),
			],
			{ Go: 'Submit', ...loopLinks('Tell') },
		),
	};
}
