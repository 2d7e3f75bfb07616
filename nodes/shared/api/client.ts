import type { IAdditionalCredentialOptions, ICredentialsDecrypted, IDataObject, IHttpRequestMethods, IHttpRequestOptions, INode, Logger } from 'n8n-workflow';

import { toDeploymentWords } from './brandWords';
import { ServiceFault } from './faults';
import { z } from '../util/vendor/zod';
import { faultOfAnswer, faultOfThrown, headline, malformed } from './classify';
import { clock, pause } from '../util/clock';
import { type Connection, CREDENTIAL_TYPE, getConnection } from './connection';
import { backoffMs, mayRetry, type RetryPolicy } from './retry';

/** What every n8n context that may call the service has in common. */
export interface ServiceContext {
	helpers: {
		httpRequestWithAuthentication(
			this: ServiceContext,
			credentialType: string,
			options: IHttpRequestOptions,
			additional?: IAdditionalCredentialOptions,
		): Promise<unknown>;
	};
	logger: Logger;
	getCredentials(type: string): Promise<object>;
	getNode(): INode;
}

export interface ServiceRequest {
	method: IHttpRequestMethods;
	/** Begins with `/`, in the spec's words. */
	path: string;
	/** JSON, in the spec's words; or bytes, with their `content-type` among the headers. */
	body?: IDataObject | Buffer;
	headers?: Record<string, string>;
	retry: RetryPolicy;
	/** Milliseconds since 1970 after which no further try begins. */
	giveUpAt?: number;
	/** Milliseconds for one try. */
	timeoutMs?: number;
}

/** Reads an answer of any shape into a value. */
export type AnswerSchema<Value> = z.ZodType<Value, z.ZodTypeDef, unknown>;

export interface ServiceClient {
	readonly connection: Connection;
	/**
	 * Sends one request and reads its answer with `schema`. Throws a `ServiceFault`, after as many tries as the
	 * policy allows.
	 */
	send<Value>(request: ServiceRequest, schema: AnswerSchema<Value>): Promise<Value>;
}

const TRY_TIMEOUT_MS = 60_000;
const PATIENCE_MS = 180_000;

const fullResponse = z.object({
	statusCode: z.number(),
	headers: z.record(z.unknown()).catch({}),
	body: z.unknown(),
});

/**
 * A client for the node's credential. All its requests share one rate limit: when the service asks one of them to
 * wait, the others wait too instead of using up their tries.
 */
export async function createClient(context: ServiceContext, signal?: AbortSignal): Promise<ServiceClient> {
	return clientFor(context, await getConnection(context), { signal });
}

interface ClientOptions {
	signal?: AbortSignal;
	/** The credential, where it is known already; else n8n reads it for each request. */
	credentialsDecrypted?: ICredentialsDecrypted;
}

/** The same for a connection that is known already. */
export function clientFor(
	context: ServiceContext,
	connection: Connection,
	{ signal, credentialsDecrypted }: ClientOptions = {},
): ServiceClient {
	let quietUntil = 0;

	function toOptions(request: ServiceRequest): IHttpRequestOptions {
		const words = connection.brandWords;
		const body = Buffer.isBuffer(request.body) ? request.body : inDeploymentWords(request.body, connection);
		return {
			method: request.method,
			url: connection.baseUrl + toDeploymentWords(request.path, words),
			headers: Object.fromEntries(
				Object.entries(request.headers ?? {}).map(([name, value]) => [toDeploymentWords(name, words), value]),
			),
			body,
			json: !Buffer.isBuffer(body),
			timeout: clock.toHostMs(request.timeoutMs ?? TRY_TIMEOUT_MS),
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			// A redirected POST may be sent twice, and a redirect could carry the key to another host.
			disableFollowRedirect: true,
		};
	}

	async function attempt(request: ServiceRequest): Promise<z.infer<typeof fullResponse>> {
		let answer: unknown;
		try {
			answer = await context.helpers.httpRequestWithAuthentication.call(
				context,
				CREDENTIAL_TYPE,
				toOptions(request),
				credentialsDecrypted && { credentialsDecrypted },
			);
		} catch (error) {
			throw faultOfThrown(error);
		}
		const response = fullResponse.parse(answer);
		if (response.statusCode < 200 || response.statusCode > 299) {
			throw faultOfAnswer(response, clock.now(), connection.redact);
		}
		return response;
	}

	async function waitForQuiet(): Promise<void> {
		while (clock.now() < quietUntil && !signal?.aborted) await pause(quietUntil - clock.now(), signal);
		if (signal?.aborted) throw new ServiceFault('cancelled', headline('cancelled'), 'no');
	}

	return {
		connection,
		async send(request, schema) {
			const giveUpAt = request.giveUpAt ?? clock.now() + PATIENCE_MS;
			for (let tries = 1; ; tries++) {
				await waitForQuiet();
				const result = await settle(attempt(request), schema);
				if (!(result instanceof ServiceFault)) return result.value;
				const wait = backoffMs(result, tries);
				if (result.kind === 'rateLimit') quietUntil = Math.max(quietUntil, clock.now() + wait);
				if (!mayRetry(request.retry, result, tries) || clock.now() + wait > giveUpAt) throw result;
				context.logger.debug(`MediaGen: ${result.message}. Next try in ${Math.round(wait)} ms`);
				await pause(wait, signal);
			}
		},
	};
}

async function settle<Value>(
	response: Promise<z.infer<typeof fullResponse>>,
	schema: AnswerSchema<Value>,
): Promise<{ value: Value } | ServiceFault> {
	try {
		const { statusCode, body } = await response;
		const read = schema.safeParse(body);
		return read.success ? { value: read.data } : malformed(statusCode);
	} catch (error) {
		return error instanceof ServiceFault ? error : faultOfThrown(error);
	}
}

/** The model's name is the one word of a body that carries a brand. */
function inDeploymentWords(body: IDataObject | undefined, { brandWords }: Connection): IDataObject | undefined {
	return typeof body?.model === 'string'
		? { ...body, model: toDeploymentWords(body.model, brandWords) }
		: body;
}
