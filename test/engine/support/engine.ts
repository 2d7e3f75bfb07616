import './environment';

import { Container } from '@n8n/di';
import {
	BinaryDataConfig,
	BinaryDataService,
	ExecutionLifecycleHooks,

	InstanceSettings,
	WorkflowExecute,
} from 'n8n-core';
import type {
	ICredentialDataDecryptedObject,
	IBinaryData,
	INode,
	INodeExecutionData,
	INodeParameters,
	INodeType,
	INodeTypes,
	IRun,
	IWorkflowBase,
	IWorkflowExecuteAdditionalData,
	NodeExecutionHint,
} from 'n8n-workflow';
import { createEmptyRunExecutionData, NodeConnectionTypes, Workflow } from 'n8n-workflow';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';

import { MediaGenApi } from '../../../credentials/MediaGenApi.credentials';
import { OneCredential } from './credentials';

const START = 'Start';
const UNDER_TEST = 'Under Test';
const EXECUTION_ID = '1';
const WORKFLOW_ID = 'engine-test';

export interface RunOptions {
	node: INodeType;
	parameters: INodeParameters;
	items?: INodeExecutionData[];
	credential: ICredentialDataDecryptedObject;
	/** The node's own settings: continueOnFail, onError, retryOnFail, maxTries, waitBetweenTries. */
	settings?: Partial<INode>;
	/** Called as soon as the execution runs, with the way to cancel it. */
	onStart?: (cancel: () => void) => void;
}

export interface RunResult {
	/** Items of each output of the node. */
	outputs: INodeExecutionData[][];
	/** Items of the first output. */
	items: INodeExecutionData[];
	json: Array<INodeExecutionData['json']>;
	error?: { message: string; description?: string | null; httpCode?: string | null };
	hints: NodeExecutionHint[];
	run: IRun;
}

function startNode(items: INodeExecutionData[]): INodeType {
	return {
		description: {
			displayName: START,
			name: 'start',
			group: ['trigger'],
			version: 1,
			description: 'Gives the items of the test',
			defaults: { name: START },
			inputs: [NodeConnectionTypes.Main],
			outputs: [NodeConnectionTypes.Main],
			properties: [],
		},
		async execute() {
			return await Promise.resolve([items]);
		},
	};
}

function nodeTypes(types: Record<string, INodeType>): INodeTypes {
	const find = (name: string) => {
		const type = types[name];
		if (!type) throw new Error(`No node type ${name}`);
		return type;
	};
	return { getByName: find, getByNameAndVersion: find, getKnownTypes: () => ({}) };
}

let binaryData: BinaryDataService | undefined;

async function binaryService(): Promise<BinaryDataService> {
	if (!binaryData) {
		binaryData = Container.get(BinaryDataService);
		const settings = Container.get(InstanceSettings);
		Container.get(BinaryDataConfig).localStoragePath = join(settings.n8nFolder, 'binaryData');
		await binaryData.init();
	}
	return binaryData;
}

/** Puts a file into n8n's binary storage on disk, as an earlier node would have done. */
export async function storeBinary(content: Buffer, fileName: string, mimeType: string): Promise<IBinaryData> {
	const service = await binaryService();
	const location = { type: 'execution' as const, workflowId: WORKFLOW_ID, executionId: EXECUTION_ID };
	return await service.store(location, content, { data: '', fileName, mimeType });
}

/** Reads a file that a node has put into the binary storage. */
export async function readBinary(data: IBinaryData | undefined): Promise<Buffer> {
	if (!data) throw new Error('There is no binary data');
	return await (await binaryService()).getAsBuffer(data);
}

/** Size in bytes and path of a stored file, without reading it. */
export async function binaryPath(data: IBinaryData): Promise<string> {
	return (await binaryService()).getPath(data.id ?? '');
}

function errorOf(run: IRun): RunResult['error'] {
	const error = run.data.resultData.error;
	if (!error) return undefined;
	return {
		message: error.message,
		description: error.description,
		httpCode: 'httpCode' in error ? error.httpCode : undefined,
	};
}

/** Runs one node in n8n-core's own engine, behind a node that gives it the items, over real HTTP. */
export async function runNode(options: RunOptions): Promise<RunResult> {
	await binaryService();
	const items = options.items ?? [{ json: {} }];
	const name = options.node.description.name;
	const nodes: INode[] = [
		{ id: randomUUID(), name: START, type: 'start', typeVersion: 1, position: [0, 0], parameters: {} },
		{
			id: randomUUID(),
			name: UNDER_TEST,
			type: name,
			typeVersion: 1,
			position: [200, 0],
			parameters: options.parameters,
			credentials: { mediaGenApi: { id: '1', name: 'MediaGen' } },
			...options.settings,
		},
	];
	const workflow = new Workflow({
		id: WORKFLOW_ID,
		nodes,
		connections: { [START]: { main: [[{ node: UNDER_TEST, type: NodeConnectionTypes.Main, index: 0 }]] } },
		active: false,
		nodeTypes: nodeTypes({ start: startNode(items), [name]: options.node }),
	});
	const workflowData: IWorkflowBase = {
		id: WORKFLOW_ID,
		name: 'Engine test',
		active: false,
		isArchived: false,
		activeVersionId: null,
		createdAt: new Date(),
		updatedAt: new Date(),
		nodes,
		connections: {},
	};
	const additionalData = {
		credentialsHelper: new OneCredential(new MediaGenApi(), options.credential),
		hooks: new ExecutionLifecycleHooks('manual', EXECUTION_ID, workflowData),
		executionId: EXECUTION_ID,
		currentNodeExecutionIndex: 0,
		restApiUrl: 'http://localhost/rest',
		instanceBaseUrl: 'http://localhost/',
		webhookBaseUrl: 'http://localhost/webhook',
		webhookTestBaseUrl: 'http://localhost/webhook-test',
		webhookWaitingBaseUrl: 'http://localhost/webhook-waiting',
		formWaitingBaseUrl: 'http://localhost/form-waiting',
		variables: {},
	} as unknown as IWorkflowExecuteAdditionalData;

	const execution = new WorkflowExecute(additionalData, 'manual', createEmptyRunExecutionData());
	const running = execution.run({ workflow, startNode: nodes[0] });
	options.onStart?.(() => running.cancel());
	const run = await running;
	const runs = run.data.resultData.runData[UNDER_TEST] ?? [];
	const last = runs[runs.length - 1];
	const outputs = (last?.data?.main ?? []).map((output) => output ?? []);
	return {
		outputs,
		items: outputs[0] ?? [],
		json: (outputs[0] ?? []).map(({ json }) => json),
		error: errorOf(run),
		hints: last?.hints ?? [],
		run,
	};
}

