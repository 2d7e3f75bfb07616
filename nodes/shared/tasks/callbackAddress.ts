import type { IExecuteFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { callbackAddressFlaw } from '../api/address';
import type { Connection } from '../api/connection';
import { z } from '../util/vendor/zod';

const SET_WEBHOOK_URL =
	"Set n8n's environment variable WEBHOOK_URL to the address under which the service reaches this n8n, on port 80 or 443.";

const ON_OWN_NETWORK =
	'For a service on your own network, switch on "Allow Private Callbacks" in the credential.';

/** n8n gives a node that an AI agent uses as a tool a type of its own. */
function isTool(context: IExecuteFunctions): boolean {
	return context.getNode().type.endsWith('Tool');
}

/**
 * The base address at which n8n resumes this execution, as it is to be sent as `webhook` (spec, Events). Throws a
 * `NodeOperationError` where the service could not reach it, or where an execution cannot pause.
 */
export function resumeAddress(context: IExecuteFunctions, connection: Connection): string {
	if (isTool(context)) {
		throw new NodeOperationError(context.getNode(), 'A tool of an AI agent cannot pause the execution', {
			description: 'Set "When Submitted" to "Wait Here for the Result".',
		});
	}
	const address = z.string().parse(context.evaluateExpression('{{ $execution.resumeUrl }}', 0));
	return reachableAddress(context, connection, address, SET_WEBHOOK_URL);
}

/**
 * A base address that the service would call. It drops any other without a word (spec, Events 6), so a
 * `NodeOperationError` says what is wrong with it, before anything is sent.
 */
export function reachableAddress(
	context: IExecuteFunctions,
	connection: Connection,
	address: string,
	howToMend = 'Give a public address in "Callback Base URL".',
): string {
	const flaw = connection.allowPrivateCallbacks ? undefined : callbackAddressFlaw(address, connection.baseUrl);
	if (flaw === undefined) return address;
	throw new NodeOperationError(context.getNode(), `The service would never call back: ${flaw}`, {
		description: `${howToMend} ${ON_OWN_NETWORK} Nothing was sent to the service.`,
	});
}
