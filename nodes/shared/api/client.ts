import type { IDataObject } from 'n8n-workflow';

import { clock, HOUR_MS } from '../util/clock';
import { hasText } from '../util/json';
import { decodedPart } from '../util/schema';
import { BALANCE_PATH, type BalanceRecord, readBalance } from './balance';
import { beginningOf, type ChatResponse, MODELS_PATH, readChatResponse, readModels } from './chat';
import { type Connection, getConnection } from './connection';
import {
	type ApiRequest,
	createSend,
	type Deadline,
	DEFAULT_DEADLINE_MS,
	deadlineMs,
	readBody,
	type ServiceContext,
} from './http';
import { type FileSource, MultipartForm } from './multipart';
import {
	type AcceptedTask,
	namesNewTask,
	readSubmission,
	readTask,
	type TaskRecord,
} from './records';
import { readUpload, type UploadRecord, UPLOADS_PATH } from './uploads';

/** Limits, in milliseconds, for the Timeout of a submission's answer: a pause may last for days, and too short a wait loses the id. */
const SUBMIT_WITHIN_MS = { min: 60_000, max: HOUR_MS };

/** The body of a purchase: its fields as JSON, or form data in one piece that has them. */
export interface SubmissionBody extends Pick<ApiRequest, 'headers'> {
	fields: IDataObject;
	body: IDataObject | Buffer;
}

export type ChatRequest = Omit<ApiRequest, 'method' | 'retry'>;

const TASK_NOT_FOUND = 'Task not found';

/** The service, with one object per resource. Every method throws an `ApiError`. */
export type MediaGenClient = ReturnType<typeof createClient>;

/** A client for a connection. Its requests share one rate limit. */
export function createClient(
	context: ServiceContext,
	connection: Connection,
	signal?: AbortSignal,
) {
	const { send, open } = createSend(context, connection, signal);
	return {
		connection,
		tasks: {
			/** Buys a task: never sent twice. `path` begins with `/`. `notFound` is the headline of a 404. */
			submit: async (
				path: string,
				{ fields, ...sent }: SubmissionBody,
				deadline: Deadline,
				notFound = TASK_NOT_FOUND,
			): Promise<AcceptedTask> => {
				const timeoutMs = Math.min(
					Math.max(SUBMIT_WITHIN_MS.min, deadlineMs(deadline) - clock.now()),
					SUBMIT_WITHIN_MS.max,
				);
				const parts = path.split('/');
				const named = [parts, parts.map(decodedPart), fields];
				const isSent = (id: string) => hasText(named, id);
				const limits = { deadline, timeoutMs };
				const mayBeDone = (refusal: unknown) => namesNewTask(refusal, isSent);
				return await send(
					{ method: 'POST', path, ...sent, retry: 'purchase', ...limits, notFound, mayBeDone },
					(answer) => readSubmission(answer, isSent),
				);
			},
			retrieve: async (
				path: string,
				rules: Pick<ApiRequest, 'retry' | 'deadline' | 'timeoutMs' | 'idleMs'>,
			): Promise<TaskRecord> =>
				await send({ method: 'GET', path, notFound: TASK_NOT_FOUND, ...rules }, readTask),
		},
		uploads: {
			/** Stores a picture for 72 hours (spec §7). Costs nothing, so it is sent again after any transient error. */
			create: async (file: FileSource, deadline?: Deadline): Promise<UploadRecord> => {
				const body = new MultipartForm('file', file);
				const headers = { 'content-type': body.type };
				// Two minutes for the answer, and the time that the bytes take at 50 kB per second.
				const timeoutMs = 120_000 + file.bytes / 50;
				const request = { path: UPLOADS_PATH, body, headers, deadline, timeoutMs };
				try {
					return await send({ method: 'POST', retry: 'read', ...request }, (answer) =>
						readUpload(answer, connection.baseUrl),
					);
				} finally {
					body.close();
				}
			},
		},
		balance: {
			/** The balance of the credential's key (spec §1). */
			retrieve: async (deadline: Deadline = Infinity): Promise<BalanceRecord> => {
				const within = Math.min(deadlineMs(deadline), clock.now() + DEFAULT_DEADLINE_MS);
				return await send(
					{ method: 'GET', path: BALANCE_PATH, retry: 'read', deadline: within },
					readBalance,
				);
			},
		},
		chat: {
			/** Buys an answer: never sent twice (spec §8). */
			create: async (request: ChatRequest): Promise<ChatResponse> =>
				await send({ method: 'POST', retry: 'purchase', ...request }, readChatResponse),
			/** The same, for an answer that is read as it comes; `whole` if the service sends it in one piece anyway. */
			open: async (
				request: ChatRequest,
			): Promise<{ pieces: AsyncGenerator<Buffer> } | { whole: ChatResponse }> =>
				await open({ method: 'POST', retry: 'purchase', ...request }, async (opened) => {
					const { isJson, pieces } = await beginningOf(opened.pieces, connection.redactText);
					if (!isJson) return { pieces };
					return { whole: readChatResponse(await readBody(pieces, connection)) };
				}),
			models: async (timeoutMs: number): Promise<string[]> => {
				const notFound = 'This service lists no models';
				return await send(
					{ method: 'GET', path: MODELS_PATH, retry: 'once', notFound, timeoutMs },
					readModels,
				);
			},
		},
	};
}

/** A client for the node's MediaGen credential, which is read now. Throws a `NodeOperationError` that names the credential's field. */
export async function openClient(
	context: ServiceContext,
	signal?: AbortSignal,
): Promise<MediaGenClient> {
	return createClient(context, await getConnection(context), signal);
}
