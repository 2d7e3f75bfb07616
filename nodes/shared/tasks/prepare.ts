import type { IDataObject, INode, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { isPrivateHost, isWholeLink } from '../api/address';
import { inDeploymentWords } from '../api/brandWords';
import type { SubmissionBody } from '../api/client';
import { NOTHING_SENT } from '../api/errors';
import type { Deadline } from '../api/http';
import { MultipartForm } from '../api/multipart';
import type { AcceptedTask } from '../api/records';
import { PendingUpload, readWhole, reopenFile } from '../n8n/binary';
import { itemError } from '../n8n/nodeErrors';
import { purchaseOptions } from '../n8n/options';
import { isTool, itemReuse, parseOptions, readItemOptions } from '../n8n/readOptions';
import {
	type ExecutedItem,
	type ParameterValues,
	readAdditionalBody,
	readParameters,
	refusal,
	setByNode,
	toApiNames,
	validationError,
} from '../n8n/parameters';
import { rejected, type UnboughtItem } from '../output/items';
import { resultShape, type SentRequest, sentRequestOf } from '../output/resultFiles';
import { purchaseKey } from '../purchase/purchaseRecords';
import { type ReadyItem, readItems } from '../purchase/runPaidItems';
import { findUpload, uploadedLink } from '../purchase/uploadedPictures';
import { isObject, objectOf, textOrJson, toJson } from '../util/json';
import { integer, parseWebUrl } from '../util/schema';
import { z } from '../util/vendor/zod';
import { itemAddress, ON_OWN_NETWORK, pausedAddress } from './callbackAddress';
import type { TaskRun } from './taskRun';

/** A request body, validated, in the API's names. Pictures of the input still stand in it as `PendingUpload`. */
export type RequestBody = Record<string, unknown>;

/** Where a body goes. With `file` it is sent as form data, and the file under that field's name. */
interface TaskTarget {
	path: string;
	body: RequestBody;
	file?: { field: string; content: PendingUpload };
}

/** The body that the panel's choices result in. `notes` says which of them are not sent. */
export interface PanelBody {
	body: ParameterValues;
	notes?: string[];
}

export interface TaskRequest {
	fields: INodeProperties[];
	/** Validates the body, under the API's names. Its messages begin with "must" or "is". */
	schema: z.ZodType<RequestBody, z.ZodTypeDef, unknown>;
	toBody?(values: ParameterValues, item: ExecutedItem): PanelBody | Promise<PanelBody>;
	/** Path of the endpoint; a function if the body holds the path, or a part of it. */
	path: string | ((body: RequestBody) => TaskTarget);
	/** What the service changes or ignores in this body, each in a sentence. `given` is what the user set, in the API's names. */
	notes?(body: RequestBody, given: RequestBody): string[];
	/** Why a body cannot mean this file of its task, in a sentence. */
	fileProblem?: FileProblem;
}

export interface ReadyTask extends ReadyItem {
	/** The validated body, with the fields that belong in the path. */
	body: RequestBody;
	/** With the callback address. */
	target: TaskTarget;
	/** What the request asks for, with the links of its pictures as far as they are uploaded. */
	request?: SentRequest;
	/** The task that the user names as bought before. */
	existingTaskId?: string;
	existing?: AcceptedTask;
}

export type PreparedItem = ReadyTask | UnboughtItem;

type Path = Array<string | number>;

function* textsIn(value: unknown, path: Path = []): Generator<[Path, string]> {
	if (typeof value === 'string') yield [path, value];
	const isList = Array.isArray(value);
	if (value instanceof PendingUpload || (!isList && !isObject(value))) return;
	for (const [name, inner] of Object.entries(value))
		yield* textsIn(inner, [...path, isList ? Number(name) : name]);
}

/** A name in an expression, which n8n passes on as it is in a fixed text. */
const EXPRESSION = /\{\{[^{}]*(\$(?:\(|[a-z]\w*))/;

/** The fixed texts that were meant to be expressions: each item would buy the same. */
const fixedExpressions = ({ parameters: { toolDescription: _forAgents, ...parameters } }: INode) =>
	[...textsIn(parameters)].flatMap(([path, text]) => {
		const name = text.startsWith('=') ? undefined : EXPRESSION.exec(text)?.[1];
		const message = `has {{ … ${name} … }} as text: switch the field from Fixed to Expression`;
		return name === undefined ? [] : [{ path, message }];
	});

/** Refuses a link that a public service cannot reach: its task would fail after the purchase. Where it is in the panel, if it is there. */
function checkLinks(item: ExecutedItem, body: RequestBody, values: object, run: TaskRun): void {
	const { connection } = run.client;
	const service = parseWebUrl(connection.baseUrl);
	if (connection.allowPrivateCallbacks || (service && isPrivateHost(service))) return;
	// The address of callbacks has rules of its own, and the metadata of a grid is only kept (spec §4).
	const { webhook: _address, metadata, ...read } = body;
	for (const [path, text] of textsIn(run.family === 'grid' ? read : { ...read, metadata })) {
		const url = isWholeLink(text.trim()) ? parseWebUrl(text.trim()) : undefined;
		if (!url || !isPrivateHost(url)) continue;
		const message = `is not public: the service cannot reach ${url.hostname}`;
		const given = [...textsIn(values)].filter(([, value]) => value.includes(text));
		const [own = path] = given.find(([, value]) => value.trim() === text.trim()) ?? given[0] ?? [];
		throw validationError(item, [{ path: own, message }], ON_OWN_NETWORK);
	}
}

async function prepareItem(
	run: TaskRun,
	request: TaskRequest,
	pausedAt: ReturnType<typeof pausedAddress> | undefined,
	itemIndex: number,
	unevaluated: ReturnType<typeof fixedExpressions>,
): Promise<ReadyTask> {
	const { context, options } = run;
	const item = { context, fields: request.fields, itemIndex };
	if (unevaluated.length > 0) {
		const fields = [...request.fields, ...purchaseOptions({ makesFiles: true })];
		throw validationError({ ...item, fields }, unevaluated);
	}
	const values = readParameters(item);
	const panel: PanelBody = (await request.toBody?.(values, item)) ?? { body: values };
	const named = toApiNames(panel.body);
	const read = request.schema.safeParse(named);
	if (!read.success) throw validationError(item, read.error.issues);
	const refused = options.waitMode === 'callback' ? ['webhook'] : [];
	const additional = readAdditionalBody(context, itemIndex, refused);
	const { path } = request;
	const target = typeof path === 'string' ? { path, body: read.data } : path(read.data);
	const own = refused.find((name) => name in target.body);
	if (own !== undefined) throw refusal(item, 'bodyType', setByNode(own));
	const body = { ...read.data, ...additional };
	const input = options.includeInput ? context.getInputData()[itemIndex]?.json : undefined;
	const set: unknown = context.getNodeParameter('options', itemIndex, {});
	const { copyNumber = 1, existingTaskId } = parseOptions(context, itemReuse, set, itemIndex);
	const itemOptions = readItemOptions(set, input);
	const given = objectOf(set);
	const ofItem = () => itemAddress(run, itemIndex, given, itemOptions.reference);
	const webhook = pausedAt?.(itemIndex) ?? ('callbackBaseUrl' in given ? ofItem() : undefined);
	const notes = request.notes?.(body, objectOf(named)) ?? [];
	const bought = { ...target.body, ...additional };
	checkLinks(item, bought, values, run);
	// "Additional Body Fields" may give another address.
	const sent = webhook?.url === undefined ? bought : { webhook: webhook.url, ...bought };
	const operation = `${run.family}.${run.operation}`;
	const { brandWords } = run.client.connection;
	const purchase = { itemIndex, operation, path: target.path, body: bought, file: target.file };
	return {
		itemIndex,
		state: 'ready',
		body,
		target: { ...target, body: sent },
		purchase,
		notes: [...notes, ...(panel.notes ?? []), ...(webhook?.notes ?? [])],
		options: { ...itemOptions, purchaseKey: purchaseKey(purchase, brandWords, copyNumber) },
		existingTaskId,
	};
}

/** An item that stands for one file of a task. Split Out leaves the file under `results`, or without its task; a table makes its number a text. */
const fileItem = resultShape.pick({ kind: true, url: true }).extend({
	index: integer(1).nullish().catch(undefined),
	name: resultShape.shape.name.default(null),
	taskId: z.string().optional(),
});

/** A file of a task, as an item has it. `place`: of its fields in the item, such as `results.`. */
export type TaskFile = z.output<typeof fileItem> & { place: string };

type FileProblem = ((body: RequestBody, file: TaskFile) => string | undefined) | undefined;

/** The file that an item stands for, and why the request cannot mean it. */
function fileOf(item: PreparedItem, json: IDataObject = {}, problemOf: FileProblem) {
	const { results } = json;
	const place = isObject(results) ? 'results.' : '';
	const { success, data } = fileItem.safeParse(isObject(results) ? { ...json, ...results } : json);
	if (item.state !== 'ready' || !success) return undefined;
	const { taskId = item.body.task_id } = data;
	if (typeof taskId !== 'string') return undefined;
	const problem =
		taskId === item.body.task_id ? problemOf?.(item.body, { ...data, place }) : undefined;
	return { taskId, request: JSON.stringify([taskId, item.options.purchaseKey]), problem };
}

const WAY_OUT = `In the node that made the files, set "Output" to "One Item per Task", without Split Out after it. Or keep one file for each request, with a Filter on {{ $json.kind }}, {{ $json.index }} and {{ $json.name }}.\n${NOTHING_SENT}`;

/** Refuses files of a task that would all buy the same, which were meant to be one purchase, and those that the request cannot mean. Linear in the number of items. */
export function refuseFiles(
	node: INode,
	problemOf: FileProblem,
	input: readonly INodeExecutionData[],
	items: readonly PreparedItem[],
): PreparedItem[] {
	const files = items.map((item) => fileOf(item, input[item.itemIndex]?.json, problemOf));
	const counts = new Map<string, number>();
	for (const file of files)
		if (file && file.problem === undefined)
			counts.set(file.request, (counts.get(file.request) ?? 0) + 1);
	return items.map((item, at) => {
		const file = files[at];
		const count = (file && counts.get(file.request)) ?? 1;
		if (!file || (file.problem === undefined && count === 1)) return item;
		const message =
			file.problem ??
			`The same request would be bought ${count} times, for ${count} files of task ${file.taskId}`;
		return rejected(item, itemError(node, message, item.itemIndex, WAY_OUT));
	});
}

export async function prepareItems(run: TaskRun, request: TaskRequest): Promise<PreparedItem[]> {
	const node = run.context.getNode();
	const pauses = run.options.waitMode === 'callback';
	if (pauses && isTool(node))
		throw new NodeOperationError(node, 'A tool of an AI agent cannot pause the execution', {
			description: 'Set "Wait for Result" to "Poll Here".',
		});
	const pausedAt = pauses ? pausedAddress(run) : undefined;
	const unevaluated = fixedExpressions(node);
	const prepare = async (at: number) => await prepareItem(run, request, pausedAt, at, unevaluated);
	const items = await readItems(run.context, prepare);
	return refuseFiles(node, request.fileProblem, run.context.getInputData(), items);
}

async function withLinks(
	value: unknown,
	linkOf: (picture: PendingUpload) => Promise<string>,
): Promise<unknown> {
	if (value instanceof PendingUpload) return await linkOf(value);
	const isList = Array.isArray(value);
	if (!isList && !isObject(value)) return value;
	const resolved: Array<[string, unknown]> = [];
	for (const [name, inner] of Object.entries(value))
		resolved.push([name, await withLinks(inner, linkOf)]);
	return isList ? resolved.map(([, inner]) => inner) : Object.fromEntries(resolved);
}

/** What an item asks for. The task that it builds on may be in its path, or in the body of a custom request. */
export function requestOf(
	{ body, target }: ReadyTask,
	...sent: Parameters<typeof sentRequestOf>
): SentRequest {
	const parent = body.task_id ?? target.body.task_id;
	return { ...sentRequestOf(...sent), ...(parent === undefined ? {} : { namesTask: true }) };
}

export function withKnownLinks({ context }: TaskRun, item: ReadyTask): ReadyTask {
	const linkFor = (value: unknown) =>
		value instanceof PendingUpload && !value.isInline
			? findUpload(context, value.fingerprint)
			: undefined;
	return { ...item, request: requestOf(item, item.target.body, linkFor) };
}

/** Makes the body that is sent for an item: pictures uploaded before the deadline, and form data where the request has a file. */
export async function toSubmission(
	run: TaskRun,
	{ target: { body, file } }: ReadyTask,
	deadline: Deadline,
): Promise<SubmissionBody> {
	const linkOf = async (pending: PendingUpload) => {
		if (!pending.isInline) return await uploadedLink(run, pending, deadline);
		const { open } = await reopenFile(run.context, pending);
		return `data:${pending.mimeType};base64,${(await readWhole(open())).toString('base64')}`;
	};
	const resolved = await withLinks(body, linkOf);
	const fields = toJson(objectOf(resolved));
	if (!file) return { fields, body: fields };
	const texts = Object.entries(inDeploymentWords(fields, run.client.connection.brandWords)).map(
		([name, value]) => [name, textOrJson(value)] as const,
	);
	const form = new MultipartForm(file.field, await reopenFile(run.context, file.content), texts);
	// The file of a purchase is read completely first: if it breaks off, there must be no doubt about what was bought.
	const whole = await readWhole(form.stream());
	return { fields, body: whole, headers: { 'content-type': form.type } };
}
