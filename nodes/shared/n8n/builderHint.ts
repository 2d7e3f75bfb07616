import type { INodeTypeDescription } from 'n8n-workflow';

/** What n8n's assistant and MCP server tell a model that builds workflows. n8n 2.x reads it; n8n-workflow has no type for it here yet. */
interface BuilderHint {
	/** Comes with the node in search results. */
	searchHint: string;
	relatedNodes: Array<{ nodeType: string; relationHint: string }>;
}

export interface NodeDescription extends INodeTypeDescription {
	builderHint: BuilderHint;
}

const PAID_TASKS =
	'Each input item buys one paid task. The node waits for its tasks and attaches the files as binary data: add no Wait, If or HTTP Request nodes for that. options.maxTasks limits what an execution buys.';

export function related(name: string, relationHint: string): BuilderHint['relatedNodes'][number] {
	return { nodeType: `n8n-nodes-mediagen.${name}`, relationHint };
}

export function taskHint(own: string, ...relatedNodes: BuilderHint['relatedNodes']): BuilderHint {
	return { searchHint: `${own} ${PAID_TASKS}`, relatedNodes };
}

/** What the model of an AI agent reads about a node that is its tool. */
export const asTool = (description: string) => ({ replacements: { description } });
