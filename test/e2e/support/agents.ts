import { z } from 'zod/v3';

import type { Execution, Host } from '../../../sandbox/host';
import type { Sandbox } from '../../../sandbox/service';

type WorkflowJson = Parameters<Host['importWorkflow']>[0];

/** The kinds of AI Agent that n8n 1.123 and 2.41 both have: 2.2 calls its tools itself, 3 has the engine run them. */
export const AGENTS = [2.2, 3];

/** A credential with which n8n's OpenAI node talks to the sandbox's chat. */
export function chatCredentialFor(sandbox: Sandbox, name: string, apiKey: string) {
	return {
		name,
		type: 'openAiApi',
		data: { apiKey, url: `${sandbox.url}/v1`, organizationId: '', header: false },
	};
}

/** A node of this package as an agent's tool. */
export interface Tool {
	/** The model sees it with `_` for spaces. */
	name: string;
	/** Without `n8n-nodes-mediagen.`; n8n gives the node as a tool a name that ends in `Tool`. */
	type: string;
	parameters: object;
	/** The node's own settings: `onError`, `retryOnFail` … */
	settings?: object;
}

/**
 * Manual start → AI Agent, with n8n's OpenAI model and one tool.
 *
 * @param credential both credentials bear this name
 * @param question what the user says to the agent
 */
export function agentWorkflow(
	agentVersion: number,
	credential: string,
	question: string,
	tool: Tool,
): WorkflowJson {
	const link = (to: string, type: string) => ({ [type]: [[{ node: to, type, index: 0 }]] });
	return {
		name: `Agent ${agentVersion}: ${tool.name}`,
		nodes: [
			{
				id: 'go',
				name: 'Go',
				type: 'n8n-nodes-base.manualTrigger',
				typeVersion: 1,
				position: [0, 0],
				parameters: {},
			},
			{
				id: 'agent',
				name: 'Agent',
				type: '@n8n/n8n-nodes-langchain.agent',
				typeVersion: agentVersion,
				position: [200, 0],
				parameters: { promptType: 'define', text: question, options: {} },
			},
			{
				id: 'model',
				name: 'Model',
				type: '@n8n/n8n-nodes-langchain.lmChatOpenAi',
				typeVersion: 1.3,
				position: [160, 200],
				// With this on, which it is for new nodes, n8n asks /v1/responses.
				parameters: {
					model: { __rl: true, mode: 'id', value: 'chat-large' },
					responsesApiEnabled: false,
					options: {},
				},
				credentials: { openAiApi: { id: '', name: credential } },
			},
			{
				id: 'tool',
				name: tool.name,
				type: `n8n-nodes-mediagen.${tool.type}`,
				typeVersion: 1,
				position: [320, 200],
				parameters: tool.parameters,
				credentials: { mediaGenApi: { id: '', name: credential } },
				...tool.settings,
			},
		],
		connections: {
			Go: link('Agent', 'main'),
			Model: link('Agent', 'ai_languageModel'),
			[tool.name]: link('Agent', 'ai_tool'),
		},
		settings: { executionOrder: 'v1' },
	};
}

/** Agents of version 2 put what the tool gave into a field of one item. */
const wrapped = z.object({ response: z.array(z.record(z.unknown())) }).strict();

/** What a tool gave its agent, over all its runs. */
export function givenToAgent(execution: Execution, tool: string): Array<Record<string, unknown>> {
	return (execution.runs[tool] ?? [])
		.flatMap(({ data }) => data?.ai_tool?.flat() ?? [])
		.flatMap((item) => item ?? [])
		.flatMap(({ json }) => {
			const inside = wrapped.safeParse(json);
			return inside.success ? inside.data.response : [json];
		});
}
