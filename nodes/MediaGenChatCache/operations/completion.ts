import { COMPLETIONS } from '../../shared/api/chat';
import { turnsOf } from '../prompt/conversation';
import { chatOperation } from './chatOperation';

/** Chat-completions style (spec §8): `POST /v1/chat/completions`. */
export const completion = chatOperation({
	...COMPLETIONS,
	name: 'Completion',
	value: 'completion',
	action: 'Ask a question (chat completions style)',
	description:
		'Ask at /v1/chat/completions, where the system blocks are the first turn. If in doubt, choose Message.',
	toPrompt: (parts) => ({ messages: turnsOf(parts) }),
});
