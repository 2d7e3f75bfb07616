import { MESSAGES_PATH, readMessage, VERSION_HEADER } from '../../shared/api/chat';
import { chatOperation } from '../chatOperation';
import { blocksOf, turnsOf } from '../requestBody';
import { readMessagesUsage } from '../usage';

/** Messages style (spec §8): `POST /v1/messages`. The credential sends its key as `x-api-key` there. */
export const message = chatOperation({
	name: 'Message',
	value: 'message',
	action: 'Send a message',
	description: 'Ask in messages style, where system blocks stand beside the turns',
	path: MESSAGES_PATH,
	headers: VERSION_HEADER,
	toPrompt(parts) {
		const system = blocksOf(parts.filter(({ role }) => role === 'system'));
		return {
			...(system.length > 0 ? { system } : {}),
			messages: turnsOf(parts.filter(({ role }) => role !== 'system')),
		};
	},
	readReply: readMessage,
	readUsage: readMessagesUsage,
});
