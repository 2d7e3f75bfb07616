import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { asError } from './faults';
import { balanceAnswer } from './records';
import { z } from '../util/vendor/zod';
import { faultOfAnswer, faultOfThrown, malformed } from './classify';
import { clock } from '../util/clock';
import { type Connection, readConnection } from './connection';

const answerSchema = z.object({
	statusCode: z.number(),
	headers: z.record(z.unknown()).catch({}),
	body: z.unknown(),
});

const keySchema = z.object({ apiKey: z.string().default('') });

const failed = (message: string): INodeCredentialTestResult => ({ status: 'Error', message });

/** n8n hands a credential test this one request helper and no other. */
type Helpers = ICredentialTestFunctions['helpers'];

async function askBalance(
	helpers: Helpers,
	connection: Connection,
	apiKey: string,
): Promise<INodeCredentialTestResult> {
	const answer = answerSchema.parse(
		await helpers.request({
			method: 'GET',
			uri: `${connection.baseUrl}/v1/balance`,
			headers: { Authorization: `Bearer ${apiKey}` },
			json: true,
			simple: false,
			resolveWithFullResponse: true,
			followRedirect: false,
			timeout: 15_000,
		}),
	);
	if (answer.statusCode < 200 || answer.statusCode > 299) {
		return failed(faultOfAnswer(answer, clock.now(), connection.redact).message);
	}
	const balance = balanceAnswer.safeParse(answer.body);
	if (!balance.success) return failed(malformed(answer.statusCode).message);
	if (balance.data.success) return { status: 'OK', message: 'Connection successful!' };
	return failed(connection.redact(balance.data.message ?? 'The service does not accept this key'));
}

/**
 * Tests a credential by asking for its balance (spec §1). A key that the service does not know gets `success: false`
 * with a message, which is what the user is shown.
 */
export async function mediaGenApiTest(
	this: ICredentialTestFunctions,
	credential: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	let connection: Connection;
	try {
		connection = readConnection(credential.data);
	} catch (error) {
		return failed(asError(error).message);
	}
	try {
		const { apiKey } = keySchema.parse(credential.data);
		return await askBalance(this.helpers, connection, apiKey);
	} catch (error) {
		return failed(faultOfThrown(error).message);
	}
}
