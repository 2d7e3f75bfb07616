import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { findTaskRecord, mayHaveEnded, readTaskId } from '../api/records';
import { within } from '../util/clock';
import { isObject, parseExactJson } from '../util/json';
import { z } from '../util/vendor/zod';

const withRawBody = z.object({
	rawBody: z.instanceof(Buffer).optional(),
	readRawBody: z.custom<() => Promise<void>>((value) => typeof value === 'function').optional(),
});

/** The body as n8n has read it; read again from its text if n8n rounded an ID, or did not see that it is JSON. */
async function bodyOf(context: IWebhookFunctions): Promise<unknown> {
	const read: unknown = context.getBodyData();
	const isRead = isObject(read) && Object.keys(read).length > 0;
	const request = () => withRawBody.safeParse(context.getRequestObject()).data;
	if (!isRead)
		await request()
			?.readRawBody?.()
			.catch(() => {});
	const text = request()?.rawBody?.toString() ?? '';
	return isRead && !/\d{16}/.test(text) ? read : (parseExactJson(text) ?? read);
}

/** The body with which a node calls the address of its own execution. */
export const ownCall = z.object({ pause: z.string() });

/** Reads the body of a call, of any shape. Anybody can send one: no more is read before the service has confirmed the task. */
export async function readCallback(context: IWebhookFunctions) {
	const body = await bodyOf(context);
	const claimed = findTaskRecord(body);
	return {
		taskId: readTaskId(body),
		/** The body's record, if it has a status. */
		claimed,
		/** Whether the task may have ended: a body without a status does not say. */
		claimsEnd: !claimed || mayHaveEnded(claimed),
		/** Whether the call names nothing, as the one by which a node resumes its own execution. */
		isEmpty:
			body === undefined || (isObject(body) && Object.keys(body).every((name) => name === 'pause')),
		/** The pause that such a call is to end. */
		pause: ownCall.safeParse(body).data?.pause,
	};
}

export type Callback = Awaited<ReturnType<typeof readCallback>>;

/** Milliseconds to an answer: the service waits about ten seconds for it (spec, Events 5). */
const ANSWER_WITHIN_MS = 8_000;

/** Milliseconds for the downloads that a callback leads to. They go on after the answer. */
export const DOWNLOAD_WITHIN_MS = 600_000;

/** Answers in place of n8n: the service calls again after a 503 only (spec, Events 5). A second answer would throw, and n8n resume with that. */
export function answer(
	context: IWebhookFunctions,
	status: number,
	message: string,
): IWebhookResponseData {
	const response = context.getResponseObject();
	if (!response.headersSent) response.status(status).json({ message });
	return { noWebhookResponse: true };
}

/** Waits up to `ms` milliseconds for the work that decides the answer; the work then goes on. Returns whether it was in time. */
export async function inTimeToAnswer(
	work: Promise<unknown>,
	ms = ANSWER_WITHIN_MS,
): Promise<boolean> {
	return (await within(ms, Promise.all([work]))) !== undefined;
}
