import { z } from 'zod/v3';

import type { Execution, WorkflowDefinition } from '../../../sandbox/host';
import type { Sandbox } from '../../../sandbox/service';
import { mediaGen, MODEL, type NodeJson, startByHand, workflow } from './nodes';

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

/** MediaGen Image as a tool that leaves the prompt to the model, which sees its name with `_` for spaces. */
export const pictureTool = (
	credential: string,
	parameters: object = {},
	settings: object = {},
): NodeJson => {
	const given = {
		resource: 'image',
		operation: 'generate',
		model: MODEL,
		prompt: "={{ $fromAI('prompt', 'What the picture shows', 'string') }}",
		options: { pollInterval: 1 },
		...parameters,
	};
	return mediaGen('Make a Picture', 'mediaGenImageTool', credential, given, settings);
};

/** MediaGen Balance as a tool. */
export const balanceTool = (credential: string): NodeJson =>
	mediaGen('Read the Balance', 'mediaGenBalanceTool', credential, {
		resource: 'balance',
		operation: 'get',
	});

/** n8n's AI Agent. */
export const agentNode = (typeVersion: number, text: string, options: object = {}): NodeJson => ({
	name: 'Agent',
	type: '@n8n/n8n-nodes-langchain.agent',
	typeVersion,
	parameters: { promptType: 'define', text, options },
});

/** Start → AI Agent, with these tools and further parts, by the kind of their connection to the agent. */
export const workflowOfAgent = (
	name: string,
	[start, agent]: [NodeJson, NodeJson],
	parts: Record<string, NodeJson>,
	tools: NodeJson[],
): WorkflowDefinition =>
	workflow(name, [start, agent, ...Object.values(parts), ...tools], {
		[start.name]: agent.name,
		...Object.fromEntries(
			Object.entries(parts).map(([kind, part]) => [part.name, { [kind]: agent.name }]),
		),
		...Object.fromEntries(tools.map((tool) => [tool.name, { ai_tool: agent.name }])),
	});

/**
 * Manual start → AI Agent, with n8n's OpenAI model and one tool.
 *
 * @param credential of the model
 * @param question what the user says to the agent
 */
export function agentWorkflow(
	agentVersion: number,
	credential: string,
	question: string,
	tool: NodeJson,
): WorkflowDefinition {
	const model = {
		name: 'Model',
		type: '@n8n/n8n-nodes-langchain.lmChatOpenAi',
		typeVersion: 1.3,
		// With this on, which it is for new nodes, n8n asks /v1/responses.
		parameters: {
			model: { __rl: true, mode: 'id', value: 'chat-large' },
			responsesApiEnabled: false,
			options: {},
		},
		credentials: { openAiApi: { id: '', name: credential } },
	};
	return workflowOfAgent(
		`Agent ${agentVersion}: ${tool.name}`,
		[startByHand, agentNode(agentVersion, question)],
		{ ai_languageModel: model },
		[tool],
	);
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
