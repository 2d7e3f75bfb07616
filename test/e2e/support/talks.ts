import axios from 'axios';
import { randomUUID } from 'node:crypto';

import type { Execution, Host } from '../../../sandbox/host';
import type { ChatBillEntry, Sandbox, ScriptedReply } from '../../../sandbox/service';

type WorkflowJson = Parameters<Host['importWorkflow']>[0];

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
	/** Default: the style guide. */
	systemMessage?: string;
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

const link = (node: string, type: string) => ({ [type]: [[{ node, type, index: 0 }]] });

/** Webhook → AI Agent with our model, a window memory with n8n's default window, and two tools of this package. */
export function talkWorkflow(options: TalkOptions): WorkflowJson {
	const { credential, style, caching, streams = false } = options;
	const path = `talk-${randomUUID()}`;
	const mediaGenApi = { mediaGenApi: { id: '', name: credential } };
	const tool = (name: string, type: string, at: number, parameters: object) => ({
		id: name,
		name,
		type: `n8n-nodes-mediagen.${type}`,
		typeVersion: 1,
		position: [at, 200],
		parameters,
		credentials: mediaGenApi,
	});
	return {
		name: `Talk ${path}`,
		nodes: [
			{
				id: 'go',
				name: 'Go',
				type: 'n8n-nodes-base.webhook',
				typeVersion: 2.1,
				position: [0, 0],
				webhookId: path,
				parameters: {
					httpMethod: 'POST',
					path,
					responseMode: streams ? 'streaming' : 'lastNode',
					options: {},
				},
			},
			{
				id: 'agent',
				name: 'Agent',
				type: '@n8n/n8n-nodes-langchain.agent',
				typeVersion: options.agentVersion ?? 3.1,
				position: [200, 0],
				parameters: {
					promptType: 'define',
					text: '={{ $json.body.question }}',
					options: {
						systemMessage: options.systemMessage ?? STYLE_GUIDE,
						enableStreaming: streams,
					},
				},
			},
			{
				id: 'model',
				name: 'Model',
				type: 'n8n-nodes-mediagen.mediaGenChatModel',
				typeVersion: 1,
				position: [100, 200],
				parameters: {
					model: { __rl: true, mode: 'id', value: 'vendor-chat-1' },
					caching,
					maxTokens: 1000,
					apiStyle: style,
					options: options.options ?? {},
				},
				credentials: mediaGenApi,
			},
			{
				id: 'memory',
				name: 'Memory',
				type: '@n8n/n8n-nodes-langchain.memoryBufferWindow',
				typeVersion: 1.3,
				position: [250, 200],
				parameters: { sessionIdType: 'customKey', sessionKey: '={{ $json.body.session }}' },
			},
			tool('Make a Picture', 'mediaGenImageTool', 400, {
				resource: 'image',
				operation: 'generate',
				model: 'imagegen-2-official',
				prompt: "={{ $fromAI('prompt', 'What the picture shows', 'string') }}",
				options: { pollInterval: 1 },
			}),
			tool('Read the Balance', 'mediaGenBalanceTool', 550, {
				resource: 'balance',
				operation: 'get',
			}),
		],
		connections: {
			Go: link('Agent', 'main'),
			Model: link('Agent', 'ai_languageModel'),
			Memory: link('Agent', 'ai_memory'),
			'Make a Picture': link('Agent', 'ai_tool'),
			'Read the Balance': link('Agent', 'ai_tool'),
		},
		settings: { executionOrder: 'v1' },
	};
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
	const workflow = await host.importWorkflow(talkWorkflow(options));
	await host.activate(workflow.id);
	const url = await host.webhookUrl(workflow.id);
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
