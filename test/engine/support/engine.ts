import './environment';

import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import {
	BinaryDataConfig,
	BinaryDataService,
	ExecuteContext,
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
	IWorkflowSettings,
	NodeExecutionHint,
} from 'n8n-workflow';
import {
	createEmptyRunExecutionData,
	createRunExecutionData,
	NodeConnectionTypes,
	Workflow,
	type WorkflowExecuteMode,
} from 'n8n-workflow';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';

import { nodeOf } from '../../support/node';
import { oneCredential } from './credentials';

const START = 'Start';
const UNDER_TEST = 'Under Test';
const AGAIN = 'Again';
const BACK = 'Back';
const NEXT = 'Next';
const MODEL = 'Model';
const EXECUTION_ID = '1';
const WORKFLOW_ID = 'engine-test';
const WORKFLOW_NAME = 'Engine test';

export interface RunOptions {
	node: INodeType;
	parameters: INodeParameters;
	items?: INodeExecutionData[];
	credential: ICredentialDataDecryptedObject;
	/** The node's own settings: continueOnFail, onError, retryOnFail, maxTries, waitBetweenTries. */
	settings?: Partial<INode>;
	workflowSettings?: IWorkflowSettings;
	/** How often the node runs in this execution, each time with the same items, as in a loop. Default: 1. */
	rounds?: number;
	/** How often the items of the error output are led back to the node, with the files of their rows. Default: never. */
	errorsBack?: number;
	/** A second node, which gets the items of the node under test. */
	next?: { node: INodeType; parameters: INodeParameters };
	/** A sub-node that supplies the node under test with a chat model. */
	model?: { node: INodeType; parameters: INodeParameters };
	executionId?: string;
	/** How n8n started the execution. Default: by hand. */
	mode?: WorkflowExecuteMode;
	/** The execution that has called this one. */
	parentExecution?: IRun['data']['parentExecution'];
	/** Where n8n receives calls for waiting executions. */
	waitingBaseUrl?: string;
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
	/** JSON of the items of the first output, for each round. */
	rounds: Array<Array<INodeExecutionData['json']>>;
	/** The same of the error output. */
	errorRounds: Array<Array<INodeExecutionData['json']>>;
	run: IRun;
}

/** What the nodes wrote to n8n's log, of all levels, since the last run began. */
export const log: string[] = [];

function recordLog(): void {
	const logger = Container.get(Logger);
	for (const level of ['debug', 'info', 'warn', 'error'] as const) {
		logger[level] = (message) => {
			log.push(message);
		};
	}
}

recordLog();

function innerNode(
	displayName: string,
	name: string,
	execute: (input: INodeExecutionData[]) => INodeExecutionData[],
): INodeType {
	return {
		description: {
			displayName,
			name,
			group: ['transform'],
			version: 1,
			description: 'Gives the items of the test',
			defaults: { name: displayName },
			inputs: [NodeConnectionTypes.Main],
			outputs: [NodeConnectionTypes.Main],
			properties: [],
		},
		async execute() {
			return await Promise.resolve([execute(this.getInputData())]);
		},
	};
}

const copyOf = (items: INodeExecutionData[]) =>
	items.map((item) => ({ ...item, json: { ...item.json } }));

/** Node types by their names, as a workflow asks n8n for them. */
export function nodeTypesOf(types: Record<string, INodeType>): INodeTypes {
	const find = (name: string) => {
		const type = types[name];
		if (!type) throw new Error(`No node type ${name}`);
		return type;
	};
	return { getByName: find, getByNameAndVersion: find, getKnownTypes: () => ({}) };
}

let binaryData: BinaryDataService | undefined;

/** n8n's binary storage, in a folder of the tests' own. */
export async function binaryService(): Promise<BinaryDataService> {
	if (!binaryData) {
		binaryData = Container.get(BinaryDataService);
		const settings = Container.get(InstanceSettings);
		Container.get(BinaryDataConfig).localStoragePath = join(settings.n8nFolder, 'binaryData');
		await binaryData.init();
	}
	return binaryData;
}

/** A value of N8N_DEFAULT_BINARY_DATA_MODE: in memory, as n8n 1.123 has it, or on disk, the default of the tests' n8n-core. */
export type BinaryDataMode = 'default' | 'filesystem';

/** Restarts the binary storage in another mode. */
export async function setBinaryDataMode(mode: BinaryDataMode): Promise<void> {
	Container.get(BinaryDataConfig).mode = mode;
	await (await binaryService()).init();
}

const MODES: Array<[place: string, mode: BinaryDataMode]> = [
	['in memory', 'default'],
	['on disk', 'filesystem'],
];

/** Runs tests once for each place where n8n can keep binary data without a database: n8n 1.123 has the first by default, 2.x the second. */
export function describeInEachBinaryDataMode(tests: (mode: BinaryDataMode) => void): void {
	describe.each(MODES)('Binary data %s', (_, mode) => {
		beforeAll(async () => await setBinaryDataMode(mode));
		afterAll(async () => await setBinaryDataMode('filesystem'));
		tests(mode);
	});
}

/** Puts a file into n8n's binary storage, as an earlier node would have done. */
export async function storeBinary(
	content: Buffer,
	fileName: string,
	mimeType: string,
): Promise<IBinaryData> {
	const service = await binaryService();
	const location = {
		type: 'execution' as const,
		workflowId: WORKFLOW_ID,
		executionId: EXECUTION_ID,
	};
	return await service.store(location, content, { data: '', fileName, mimeType });
}

/** Where a file stands that is kept on disk. */
export function storedPath({ id = '' }: IBinaryData): string {
	return join(Container.get(BinaryDataConfig).localStoragePath, id.replace(/^.*:/, ''));
}

/** Reads a file that a node has put into the binary storage. */
export async function readBinary(data: IBinaryData | undefined): Promise<Buffer> {
	if (!data) throw new Error('There is no binary data');
	return await (await binaryService()).getAsBuffer(data);
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

/** What n8n gives to an execution: the credential, the addresses in `more`, and what nodes do not see. */
export function additionalDataOf(
	credential: ICredentialDataDecryptedObject,
	workflow: Pick<IWorkflowBase, 'id' | 'name' | 'nodes'>,
	more: { executionId: string; [name: string]: unknown },
): IWorkflowExecuteAdditionalData {
	const workflowData: IWorkflowBase = {
		...workflow,
		active: false,
		isArchived: false,
		activeVersionId: null,
		createdAt: new Date(),
		updatedAt: new Date(),
		connections: {},
	};
	return {
		credentialsHelper: oneCredential(credential),
		hooks: new ExecutionLifecycleHooks('manual', more.executionId, workflowData),
		currentNodeExecutionIndex: 0,
		variables: {},
		...more,
	} as unknown as IWorkflowExecuteAdditionalData;
}

/** A workflow around the node under test, and what n8n gives to an execution of it. */
export function openExecution(options: RunOptions) {
	const items: INodeExecutionData[] = options.items ?? [{ json: {} }];
	const { name } = options.node.description;
	let left = (options.rounds ?? 1) - 1;
	const again = () => (left-- > 0 ? copyOf(items) : []);
	let leftBack = options.errorsBack ?? 0;
	const rowOf = ({ pairedItem }: INodeExecutionData) =>
		typeof pairedItem === 'object' && 'item' in pairedItem ? items[pairedItem.item] : undefined;
	const back = (failed: INodeExecutionData[]) =>
		leftBack-- > 0 ? copyOf(failed).map((item) => ({ ...item, binary: rowOf(item)?.binary })) : [];
	const inner = (title: string, type: string) => nodeOf(title, { id: randomUUID(), type });
	const underTest: INode = {
		...inner(UNDER_TEST, name),
		parameters: options.parameters,
		credentials: { mediaGenApi: { id: '1', name: 'MediaGen' } },
		...options.settings,
	};
	const { next, model } = options;
	const beside = (id: string, given: RunOptions['next']): INode[] =>
		given
			? [{ ...underTest, ...inner(id, given.node.description.name), parameters: given.parameters }]
			: [];
	const nextNode = beside(NEXT, next);
	const nodes = [
		inner(START, 'start'),
		underTest,
		inner(AGAIN, 'again'),
		inner(BACK, 'back'),
		...nextNode,
		...beside(MODEL, model),
	];
	const to = (...names: string[]) =>
		names.map((node) => ({ node, type: NodeConnectionTypes.Main, index: 0 }));
	const types = {
		start: innerNode(START, 'start', () => copyOf(items)),
		again: innerNode(AGAIN, 'again', again),
		back: innerNode(BACK, 'back', back),
		[name]: options.node,
		...(next ? { [next.node.description.name]: next.node } : {}),
		...(model ? { [model.node.description.name]: model.node } : {}),
	};
	const workflow = new Workflow({
		id: WORKFLOW_ID,
		name: WORKFLOW_NAME,
		nodes,
		connections: {
			[START]: { main: [to(UNDER_TEST)] },
			[UNDER_TEST]: {
				main: [to(AGAIN, ...nextNode.map(({ name: nextName }) => nextName)), to(BACK)],
			},
			[AGAIN]: { main: [to(UNDER_TEST)] },
			[BACK]: { main: [to(UNDER_TEST)] },
			[MODEL]: {
				ai_languageModel: [
					[{ node: UNDER_TEST, type: NodeConnectionTypes.AiLanguageModel, index: 0 }],
				],
			},
		},
		active: false,
		nodeTypes: nodeTypesOf(types),
		settings: options.workflowSettings,
	});
	const { executionId = EXECUTION_ID, waitingBaseUrl = 'http://localhost/webhook-waiting' } =
		options;
	const additionalData = additionalDataOf(
		options.credential,
		{ id: WORKFLOW_ID, name: WORKFLOW_NAME, nodes },
		{
			executionId,
			restApiUrl: 'http://localhost/rest',
			instanceBaseUrl: 'http://localhost/',
			webhookBaseUrl: 'http://localhost/webhook',
			webhookTestBaseUrl: 'http://localhost/webhook-test',
			webhookWaitingBaseUrl: waitingBaseUrl,
			formWaitingBaseUrl: waitingBaseUrl.replace('webhook-waiting', 'form-waiting'),
		},
	);
	return { workflow, nodes, underTest, additionalData };
}

/** What a run of the engine shows of the node under test. */
export function resultOf(run: IRun): RunResult {
	const runs = run.data.resultData.runData[UNDER_TEST] ?? [];
	const jsonOf = (output: number) =>
		runs.map(({ data }) => (data?.main?.[output] ?? []).map(({ json }) => json));
	const last = runs[runs.length - 1];
	const outputs = (last?.data?.main ?? []).map((output) => output ?? []);
	return {
		outputs,
		items: outputs[0] ?? [],
		json: (outputs[0] ?? []).map(({ json }) => json),
		error: errorOf(run),
		hints: last?.hints ?? [],
		rounds: jsonOf(0),
		errorRounds: jsonOf(1),
		run,
	};
}

/** Runs one node in n8n-core's own engine, behind a node that gives it the items, over real HTTP. */
export async function runNode(options: RunOptions): Promise<RunResult> {
	await binaryService();
	log.length = 0;
	const { workflow, nodes, additionalData } = openExecution(options);
	const execution = new WorkflowExecute(
		additionalData,
		options.mode ?? 'manual',
		createEmptyRunExecutionData(),
	);
	const running = execution.run({ workflow, startNode: nodes[0] });
	// Set once the run has begun, as n8n's engine makes the data of an execution itself.
	const { parentExecution } = options;
	const data: unknown = Reflect.get(execution, 'runExecutionData');
	Object.assign(data ?? {}, parentExecution && { parentExecution });
	options.onStart?.(() => running.cancel());
	return resultOf(await running);
}

/** A result that has no error. */
export function ok<Result extends { error?: unknown }>(result: Result): Result {
	expect(result.error).toBeUndefined();
	return result;
}

/** Runs a failed execution again as n8n does from its list, with the workflow as it is now: from the node that failed. */
export async function retryExecution({ run }: RunResult, options: RunOptions): Promise<RunResult> {
	log.length = 0;
	const data = JSON.parse(JSON.stringify(run.data)) as IRun['data'];
	delete data.resultData.error;
	data.resultData.runData[data.resultData.lastNodeExecuted ?? '']?.pop();
	const { workflow, underTest, additionalData } = openExecution(options);
	// n8n keeps the node with the execution, and replaces it by the saved one.
	for (const waiting of data.executionData?.nodeExecutionStack ?? []) waiting.node = underTest;
	return resultOf(
		await new WorkflowExecute(additionalData, 'manual', data).processRunExecutionData(workflow),
	);
}

/**
 * Runs the node several times at once in one execution, all with the same run index: as an agent does that calls its tool in
 * batches. Returns what each run gave out, or threw.
 */
export async function runSideBySide(
	options: RunOptions,
	count: number,
): Promise<Array<PromiseSettledResult<INodeExecutionData[]>>> {
	await binaryService();
	const { workflow, underTest, additionalData } = openExecution(options);
	const runData = createRunExecutionData({
		executionData: {
			contextData: {},
			nodeExecutionStack: [],
			metadata: {},
			waitingExecution: {},
			waitingExecutionSource: {},
		},
	});
	const runOnce = async () => {
		const items = copyOf(options.items ?? [{ json: {} }]);
		const input = { main: [items] };
		const execute = { node: underTest, data: input, source: null };
		const context = new ExecuteContext(
			workflow,
			underTest,
			additionalData,
			'manual',
			runData,
			0,
			items,
			input,
			execute,
			[],
		);
		const output = await options.node.execute?.call(context);
		return Array.isArray(output) ? (output[0] ?? []) : [];
	};
	return await Promise.allSettled(Array.from({ length: count }, runOnce));
}
