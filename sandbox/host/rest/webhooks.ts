import type { RestClient } from './client';
import { liveWebhooks, type NodeType, type NodeWebhook } from './nodeTypes';
import type { Workflow } from './workflows';

/** A path that an active workflow listens on. */
export interface WebhookPath {
	node: string;
	method: string;
	/** Without the leading `/webhook/`. */
	path: string;
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'];

/** The paths that a workflow listens on once it is active. */
export function webhookPaths(workflow: Workflow, types: NodeType[]): WebhookPath[] {
	return workflow.nodes.flatMap((node) => {
		const type = types.find(({ name }) => name === node.type);
		if (!type || node.disabled) return [];
		return liveWebhooks(type).map((webhook) => ({
			node: node.name,
			method: chosenMethod(webhook, node.parameters),
			path: pathOf(webhook, node.webhookId ?? '', node.parameters),
		}));
	});
}

/** A webhook's path and method are often expressions over the node's own parameters; here, their usual names suffice. */
function chosenMethod({ httpMethod }: NodeWebhook, parameters: Record<string, unknown>): string {
	if (methods.includes(httpMethod)) return httpMethod;
	return typeof parameters.httpMethod === 'string' ? parameters.httpMethod : 'GET';
}

function pathOf(
	{ path, isFullPath }: NodeWebhook,
	webhookId: string,
	parameters: Record<string, unknown>,
): string {
	const chosen = typeof parameters.path === 'string' ? parameters.path : '';
	const own = path.startsWith('=') ? chosen : path;
	const full = isFullPath ? own || webhookId : `${webhookId}/${own}`;
	return full.replace(/^\/|\/$/g, '');
}

/**
 * Asks whether n8n listens on a path, without starting anything: a CORS preflight is answered with the methods that are
 * registered for it. While n8n does not answer at all, it does not listen.
 */
export async function isListening(
	api: RestClient,
	{ method, path }: WebhookPath,
): Promise<boolean> {
	const preflight = {
		method: 'OPTIONS',
		url: `/webhook/${path}`,
		headers: { Origin: api.baseUrl, 'Access-Control-Request-Method': method },
	};
	const response = await api.raw.request<unknown>(preflight).catch(() => undefined);
	const allowed = String(response?.headers['access-control-allow-methods'] ?? '');
	return allowed.split(/\s*,\s*/).includes(method);
}
