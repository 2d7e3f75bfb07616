import { COMPLETIONS_PATH, readCompletion } from '../../shared/api/chat';
import { chatOperation } from '../chatOperation';
import { turnsOf } from '../requestBody';
import { readCompletionUsage } from '../usage';

/** Chat-completions style (spec §8): `POST /v1/chat/completions`. */
export const completion = chatOperation({
	name: 'Completion',
	value: 'completion',
	action: 'Complete a chat',
	description: 'Ask in chat-completions style, where system blocks are the first turn',
	path: COMPLETIONS_PATH,
	headers: {},
	toPrompt: (parts) => ({ messages: turnsOf(parts) }),
	readReply: readCompletion,
	readUsage: readCompletionUsage,
});
