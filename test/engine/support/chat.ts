import type { ICredentialDataDecryptedObject, INode, INodeExecutionData } from 'n8n-workflow';

import { MediaGenChatCache } from '../../../nodes/MediaGenChatCache/MediaGenChatCache.node';
import { fastClock } from './clocks';
import { runNode } from './engine';
import { rememberingNode } from './rememberingNode';
import { useSandbox } from './sandbox';

/** A sandbox for the tests of one file, on a clock that can be put on. */
export function useChatSandbox() {
	const clock = fastClock(50);
	const service = useSandbox(clock, 'chat');
	return Object.assign(service, {
		/** Lets that many minutes pass at once. */
		pass: async (minutes: number) => await clock.advance(minutes * 60_000),
		/** Chat requests as they arrived, in order. */
		requests: () => service.sandbox.requests.list().filter(({ method }) => method === 'POST'),
	});
}

/** Words that make a long text, in an order that depends on the subject: the same subject gives the same text. */
const WORDS =
	'valve filter pump water pressure handle before after every close open gently turn left right until stop clean dry check seal replace part number store cool place never use force'.split(
		' ',
	);

/** A text of about `tokens` tokens, the same for the same subject. */
export function document(subject: string, tokens = 5_000): string {
	let state =
		[...subject].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7) % 2_147_483_647;
	const words = Array.from({ length: Math.ceil(tokens * 0.9) }, (_, at) => {
		state = (state * 48_271) % 2_147_483_647;
		return at % 12 === 11
			? `${WORDS[state % WORDS.length]}.\n`
			: (WORDS[state % WORDS.length] ?? '');
	});
	return `Manual of the ${subject}. ${words.join(' ')}`;
}

export const MODEL = 'vendor-chat-1';

/** The operations of the node, and where each asks. */
export const CHAT_PATHS = { message: '/v1/messages', completion: '/v1/chat/completions' };

export const CHAT_OPERATIONS = ['message', 'completion'] as const;

type Block = { text: string; ttl?: string; place?: 'system' | 'user' | 'assistant' };

/** The parameter "Cached Blocks" as n8n stores it. */
export const blocks = (...list: Block[]) => ({
	block: list.map((block) => ({ ttl: '5m', place: 'system', ...block })),
});

export const questions = (...list: string[]): INodeExecutionData[] =>
	list.map((question) => ({ json: { question } }));

const common = {
	resource: 'chat',
	model: MODEL,
	maxTokens: 100,
	prompt: '={{ $json.question }}',
	earlierTurns: {},
	options: {},
};

export interface ChatRunOptions {
	parameters?: object;
	items?: INodeExecutionData[];
	settings?: Partial<INode>;
	credential?: ICredentialDataDecryptedObject;
	onStart?: (cancel: () => void) => void;
}

/** A node that is run several times, with what it remembers between its runs. */
export function chatNode(
	operation: 'message' | 'completion',
	credential: () => ICredentialDataDecryptedObject,
) {
	const { node, stored } = rememberingNode(() => new MediaGenChatCache());
	return {
		/** What n8n would have saved with the workflow. */
		stored,
		run: async ({
			parameters,
			items = questions('Why?'),
			settings,
			onStart,
			credential: other,
		}: ChatRunOptions = {}) =>
			await runNode({
				node,
				parameters: { ...common, operation, ...parameters },
				items,
				settings,
				onStart,
				credential: other ?? credential(),
			}),
	};
}
