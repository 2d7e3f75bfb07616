import { MESSAGES } from '../../shared/api/chat';
import { blocksOf, turnsOf } from '../prompt/conversation';
import { chatOperation } from './chatOperation';

/** Messages style (spec §8): `POST /v1/messages`. */
export const message = chatOperation({
	...MESSAGES,
	name: 'Message',
	value: 'message',
	action: 'Ask a question (messages style)',
	description: 'Ask at /v1/messages, where the system blocks stand beside the turns',
	toPrompt(parts) {
		const system = blocksOf(parts.filter(({ role }) => role === 'system'));
		return {
			...(system.length > 0 ? { system } : {}),
			messages: turnsOf(parts.filter(({ role }) => role !== 'system')),
		};
	},
});
