import { MESSAGES_PATH, VERSION_HEADER } from '../../shared/api/chat';
import { blocksOf, turnsOf } from '../prompt/conversation';
import { chatOperation } from './chatOperation';

/** Messages style (spec §8): `POST /v1/messages`. The credential sends its key as `x-api-key` there. */
export const message = chatOperation({
	name: 'Message',
	value: 'message',
	action: 'Ask a question (messages style)',
	description: 'Ask in messages style, with system blocks beside the turns',
	path: MESSAGES_PATH,
	headers: VERSION_HEADER,
	toPrompt(parts) {
		const system = blocksOf(parts.filter(({ role }) => role === 'system'));
		return {
			...(system.length > 0 ? { system } : {}),
			messages: turnsOf(parts.filter(({ role }) => role !== 'system')),
		};
	},
	usage: 'messages',
});
