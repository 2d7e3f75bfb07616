import axios from 'axios';
import { randomUUID } from 'node:crypto';

import type { Execution, Host, WorkflowDefinition } from '../../../sandbox/host';
import type { ChatBillEntry, Sandbox, ScriptedReply } from '../../../sandbox/service';
import { agentNode, balanceTool, pictureTool, workflowOfAgent } from './agents';
import { listenWith } from './executions';
import { mediaGen, startByWebhook } from './nodes';

export type Style = 'messages' | 'completions';

export interface TalkOptions {
	/** Name of the credential. */
	credential: string;
	style: Style;
	caching: 'off' | '5m' | '1h';
	/** Whether n8n streams the answers to the one who asks. */
	streams?: boolean;
	/** Further options of the model node. */
	options?: object;
	/** Default: 3.1, which n8n 1.123 does not have. */
	agentVersion?: number;
}

const RULES = [
	'keep the horizon straight and in the lower third',
	'no text, logos or watermarks anywhere in the picture',
	'use warm light from the left and one soft shadow',
	'people are seen from behind or from far away',
	'colors come from the palette of the season',
	'the main subject fills a third of the picture',
	'leave room at the right for the headline',
];

/** A style guide of about 3,000 tokens, the same every time. */
export const STYLE_GUIDE = [
	'You make pictures for a travel magazine. Follow the style guide. Ask nothing back.',
	...Array.from(
		{ length: 114 },
		(_, at) =>
			`Rule ${at + 1}: ${RULES[at % RULES.length]}, and also ${RULES[(at * 3 + 1) % RULES.length]}.`,
	),
].join('\n');

/** Webhook → AI Agent with our model, a window memory with n8n's default window, and two tools of this package. */
export function talkWorkflow(options: TalkOptions): WorkflowDefinition {
	const { credential, style, caching, streams = false } = options;
	const path = `talk-${randomUUID()}`;
	const start = startByWebhook(path, streams ? 'streaming' : 'lastNode');
	const agent = agentNode(options.agentVersion ?? 3.1, '={{ $json.body.question }}', {
		systemMessage: STYLE_GUIDE,
		enableStreaming: streams,
	});
	const model = mediaGen('Model', 'mediaGenChatModel', credential, {
		model: { __rl: true, mode: 'id', value: 'vendor-chat-1' },
		caching,
		maxTokens: 1000,
		apiStyle: style,
		options: options.options ?? {},
	});
	const memory = {
		name: 'Memory',
		type: '@n8n/n8n-nodes-langchain.memoryBufferWindow',
		typeVersion: 1.3,
		parameters: { sessionIdType: 'customKey', sessionKey: '={{ $json.body.session }}' },
	};
	return workflowOfAgent(
		`Talk ${path}`,
		[start, agent],
		{ ai_languageModel: model, ai_memory: memory },
		[pictureTool(credential), balanceTool(credential)],
	);
}

const picture = (prompt: string) => ({ name: 'Make_a_Picture', arguments: { prompt } });

const balance = { name: 'Read_the_Balance', arguments: {} };

type Called = NonNullable<ScriptedReply['toolCalls']>;

/** Ten questions, each with the calls that the model makes before it answers: one picture, two things side by side, or none. */
const TURNS: ReadonlyArray<readonly [question: string, calls: Called]> = [
	['A harbor at dawn for the cover, please.', [picture('A harbor at dawn')]],
	['Why is the boat so small?', []],
	[
		'One with two boats. What is left of the balance?',
		[picture('A harbor with two boats'), balance],
	],
	['Which of the two fits the spring issue?', []],
	['The same in winter.', [picture('A harbor in winter')]],
	['Is there snow on the pier?', []],
	['And what is left now?', [balance]],
	['A lighthouse and a ferry, one picture each.', [picture('A lighthouse'), picture('A ferry')]],
	['Which one would you print?', []],
	['Thank you. Sum it up in one sentence.', []],
];

export const QUESTIONS = TURNS.map(([question]) => question);

/** What the model says in that talk. */
export const SCRIPT: ScriptedReply[] = TURNS.flatMap(([question, calls]) => [
	...(calls.length > 0 ? [{ toolCalls: calls }] : []),
	{ text: `My answer to "${question}" is as the style guide asks for it.` },
]);

/** Requests of the model in that talk, and those until the end of its first turn. */
export const REQUESTS = { all: SCRIPT.length, firstTurn: 2 };

/** Has the talk on a host. Returns its executions, in order. */
export async function haveTalk(
	host: Host,
	sandbox: Sandbox,
	options: TalkOptions,
	questions = QUESTIONS,
): Promise<Execution[]> {
	sandbox.chat.clearScript();
	sandbox.chat.script(...SCRIPT);
	const workflow = await listenWith(host, talkWorkflow(options));
	const { url } = workflow;
	const session = randomUUID();
	const executions: Execution[] = [];
	try {
		for (const question of questions) {
			await axios.post(url, { question, session }, { proxy: false, responseType: 'text' });
			const [latest] = await host.executions({ workflowId: workflow.id });
			if (latest) executions.push(await host.waitFor(latest.id, { timeout: 120_000 }));
		}
	} finally {
		await host.deactivate(workflow.id);
	}
	return executions;
}

/** Credits for the input of requests: writes × 1.25 (an hour: × 2), reads × 0.1 of the plain price. */
export const inputCost = (requests: readonly ChatBillEntry[]) =>
	requests.reduce(
		(sum, { plain, read, written5m, written1h }) =>
			sum + plain + read * 0.1 + written5m * 1.25 + written1h * 2,
		0,
	);

const total = ({ plain, read, written5m, written1h }: ChatBillEntry) =>
	plain + read + written5m + written1h;

/** The share of the input that was read from the cache. */
export const readShare = (requests: readonly ChatBillEntry[]) =>
	requests.reduce((sum, { read }) => sum + read, 0) /
	requests.reduce((sum, entry) => sum + total(entry), 0);
