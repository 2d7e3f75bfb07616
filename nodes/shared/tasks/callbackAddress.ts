import { hostOf, isPrivateHost } from '../api/address';
import { NOTHING_SENT } from '../api/errors';
import { below, isSigned, withReference } from '../api/signedAddress';
import { itemError } from '../n8n/nodeErrors';
import { callbackFields } from '../n8n/options';
import { isExpression, parseField } from '../n8n/parameters';
import { isBlank, objectOf, said } from '../util/json';
import { parseWebUrl, toId, webUrl } from '../util/schema';
import { checkItemCount, checkWorkflowTimeout, SET_WEBHOOK_URL } from './pause';
import type { TaskRun } from './taskRun';
import { pauseAddressesOf } from './watchPause';

export const ON_OWN_NETWORK =
	'For a service on your own network, switch on "Allow Private Callbacks" in the credential.';

/** Why the service would silently drop a callback base address (spec, Events 6); `undefined` if it accepts it. */
export function callbackAddressProblem(
	address: string,
	serviceBaseUrl: string,
): string | undefined {
	const url = parseWebUrl(address);
	if (!url) return 'it is not a full http or https URL';
	if (isPrivateHost(url)) return `the service cannot reach the private host ${url.hostname}`;
	const service = parseWebUrl(serviceBaseUrl);
	if (service && hostOf(url) === hostOf(service)) return "it points at the service's own domain";
	return undefined;
}

/** Throws a `NodeOperationError` for an address that the service silently drops (spec, Events 6). Returns a note about one that it may drop. */
function checkCallbackAddress(
	{ context, client }: TaskRun,
	address: string,
	hint: string,
	itemIndex?: number,
): string[] {
	const { allowPrivateCallbacks, baseUrl } = client.connection;
	if (allowPrivateCallbacks) return [];
	const problem = callbackAddressProblem(address, baseUrl);
	if (problem !== undefined) {
		const message = `The service would not call back: ${problem}`;
		const description = `${hint} ${ON_OWN_NETWORK} ${NOTHING_SENT}`;
		throw itemError(context.getNode(), message, itemIndex, description);
	}
	const { port = '' } = parseWebUrl(address) ?? {};
	// A URL is without the port of its own scheme.
	if (['', '80', '443'].includes(port)) return [];
	return [
		`The callback address uses the port ${port}. The service may call the ports 80 and 443 only.`,
	];
}

const NO_CALLBACK =
	'The expression of "Callback Base URL" is empty: the service does not report the end of this task.';

const TEST_URL =
	'"Callback Base URL" is a test URL: n8n takes calls there only while it listens for a test event. Use the production URL of the trigger.';

const NO_REFERENCE =
	'"Reference" is not in the callback address: "Callback Base URL" has a reference or a signature of its own.';

/** A proxy usually accepts 8 kB for the first line of a request and answers 4xx to more: the service does not call again. */
const LONGEST_ADDRESS = 4_000;

/** Where the service reports the end of an item's task, by "Callback Base URL" and "Reference" among its options, with notes for the user. */
export function itemAddress(
	run: TaskRun,
	itemIndex: number,
	given: Record<string, unknown>,
	reference = '',
) {
	const { callbackBaseUrl } = given;
	if (isBlank(callbackBaseUrl)) {
		const isLost = isExpression(run.context.getNode(), ['options', 'callbackBaseUrl']);
		return { url: undefined, notes: isLost ? [NO_CALLBACK] : [] };
	}
	const panel = { context: run.context, fields: callbackFields, itemIndex };
	const copied = parseField(panel, 'callbackBaseUrl', webUrl(), toId(callbackBaseUrl));
	// The service adds it.
	const address = copied.replace(/^([^?#]*?)\/callback\/?(?=[?#]|$)/, '$1');
	const hint = 'Give a public address in "Callback Base URL".';
	const notes = checkCallbackAddress(run, address, hint, itemIndex);
	const url = parseWebUrl(address);
	if (url?.pathname.includes('/webhook-test/')) notes.push(TEST_URL);
	if (!('reference' in given)) return { url: address, notes };
	const signed = withReference(run.client.connection, address, reference);
	const own = url?.searchParams.get('reference');
	if (reference !== '' && signed === address && own !== reference) notes.push(NO_REFERENCE);
	if (signed.length > LONGEST_ADDRESS)
		throw itemError(
			run.context.getNode(),
			`"Reference" makes a callback address of ${signed.length} characters: servers refuse more than ${LONGEST_ADDRESS}`,
			itemIndex,
			`Give the number of a row, for example. ${NOTHING_SENT}`,
		);
	return { url: signed, notes };
}

/** Whether a parameter has that value, or may have it: an expression is evaluated when its node runs. */
const mayBe = (given: unknown, value: string) =>
	given === value || (typeof given === 'string' && given.startsWith('='));

/**
 * Whether the workflow has a Wait node that would take any POST to the execution for the call that it waits for. n8n's context has the workflow,
 * although its type does not say so. Following connections with the functions of its type takes time that doubles with each branch that joins
 * another one again.
 */
function hasWaitForCall(context: object): boolean {
	const { nodes } = objectOf(objectOf(context).workflow);
	return Object.values(objectOf(nodes))
		.map(objectOf)
		.some(({ type, disabled, parameters }) => {
			const { resume, httpMethod } = objectOf(parameters);
			return (
				type === 'n8n-nodes-base.wait' &&
				disabled !== true &&
				mayBe(resume, 'webhook') &&
				mayBe(httpMethod, 'POST')
			);
		});
}

/** Where the service reports the end of all items' tasks: this paused execution. */
export function pausedAddress(run: TaskRun) {
	const { resumeUrl } = pauseAddressesOf(run);
	// In n8n 1.x, a call without this node's path goes to whichever node waits then: a late one would count as the call for a Wait node. With
	// it, calls of a service that adds its own path do not arrive.
	const needsPath = !isSigned(resumeUrl) && hasWaitForCall(run.context);
	const url = needsPath ? below(resumeUrl, '/callback') : resumeUrl;
	const notes = said(checkCallbackAddress(run, url, SET_WEBHOOK_URL), checkWorkflowTimeout(run));
	const ofFirst = said(notes, checkItemCount(run));
	return (itemIndex: number) => ({ url, notes: itemIndex === 0 ? ofFirst : notes });
}
