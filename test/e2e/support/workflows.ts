import type { WorkflowDefinition } from '../../../sandbox/host';
import type { Sandbox } from '../../../sandbox/service';
import { end, pictureNode, promptItems, startByHand, workflow } from './nodes';

/** The name by which the examples ask for a credential. Test files share a host: each gives it its own sandbox. */
export const EXAMPLE_CREDENTIAL = 'MediaGen API';

/** The example in which a person answers in n8n's chat: editor/approval.test.ts runs it. */
export const ANSWERED_IN_CHAT = 'agent-approval';

/** A credential for the sandbox. Imported workflows that name none get the newest one. */
export function credentialFor(sandbox: Sandbox, name: string) {
	return {
		name,
		type: 'mediaGenApi',
		data: {
			baseUrl: sandbox.url,
			apiKey: sandbox.key,
			allowPrivateCallbacks: true,
			brandWords: '{}',
		},
	};
}

/** Manual start → items with a prompt each → the node "Pictures" with the given parameters → end. */
export function imageWorkflow(
	credential: string,
	parameters: object,
	items: number,
	settings: object = {},
): WorkflowDefinition {
	const nodes = [
		startByHand,
		promptItems(items),
		pictureNode('Pictures', credential, parameters, settings),
		end,
	];
	return workflow(`Pictures ${Date.now()}`, nodes, {
		Go: 'Items',
		Items: 'Pictures',
		Pictures: 'End',
	});
}
