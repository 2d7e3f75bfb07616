import type { NodeError } from '../shared/n8n/nodeErrors';

/** The error as one of a sub-node: n8n gives it out as it is, and the editor shows it at this node, not only at the agent. */
export function asSubNodeError(error: NodeError): NodeError {
	error.functionality = 'configuration-node';
	return error;
}
