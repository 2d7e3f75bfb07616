import axios from 'axios';
import { z } from 'zod/v3';
import type {
	Execution,
	ExecutionStatus,
	Host,
	RunOptions,
	WorkflowDefinition,
} from '../../../sandbox/host';
import { eventually, until } from './poll';

/** A workflow that listens at an address. */
export interface Listening {
	id: string;
	url: string;
}

/** Imports a workflow and runs it as the editor's button does, to its end. */
export async function runWorkflow(
	host: Host,
	definition: WorkflowDefinition,
	options: RunOptions = { timeout: 120_000 },
): Promise<Execution> {
	const { id } = await host.importWorkflow(definition);
	return await host.run(id, options);
}

/** Imports and activates a workflow. Returns the address of its webhook. */
export async function listenWith(host: Host, definition: WorkflowDefinition): Promise<Listening> {
	const { id } = await host.importWorkflow(definition);
	await host.activate(id);
	return { id, url: await host.webhookUrl(id) };
}

/** Starts an execution of such a workflow, as another program does. */
export async function callWebhook(url: string, body: object = {}): Promise<void> {
	await axios.post(url, body, { proxy: false });
}

/** The only execution of a workflow, once it is in that state. */
export async function onlyExecution(
	host: Host,
	workflowId: string,
	status: ExecutionStatus,
	patience = 150_000,
): Promise<Execution> {
	const found = await until(
		async () => await host.executions({ workflowId }),
		([one, ...more]) => one?.status === status && more.length === 0,
		patience,
	);
	if (found.length !== 1 || found[0]?.status !== status) {
		const states = found.map((each) => each.status).join(', ');
		throw new Error(
			`Instead of one execution that is "${status}": ${states}. n8n's log ends with:\n${host.log.tail()}`,
		);
	}
	return await host.execution(found[0].id);
}

/** Retries an execution from n8n's list, with the workflow of then or of now. */
export async function retry(host: Host, { id }: Execution, loadWorkflow = false): Promise<void> {
	const data = { loadWorkflow };
	await host.api.call(z.unknown(), { method: 'POST', url: `/rest/executions/${id}/retry`, data });
}

/**
 * Starts n8n again, and waits until it has gone through what its last end left behind. It accepts webhooks before that, and
 * n8n 2.41 then mistakes an execution that has just been resumed for one of those that were cut off.
 */
export async function restart(host: Host): Promise<void> {
	const { mark } = host.log;
	await host.restart();
	const started = () => host.log.since(mark).join('\n').includes('Editor is now accessible');
	await eventually('the start of n8n', started);
}

/** The same after an end as by a power cut. */
export async function killAndRestart(host: Host): Promise<void> {
	await host.kill();
	await restart(host);
}
