import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { clock } from '../util/clock';
import { readConnection, storedCredential } from './connection';
import { asError, errorFromResponse } from './errors';
import { isSuccess, openResponse, parseAnswer, readResponse } from './http';
import { BALANCE_PATH, readBalance } from './balance';
import { keyAsSent } from './redact';

const TEST_WITHIN_MS = 15_000;

const NO_SERVICE = 'The service was not found at this address: check "Base URL"';

/** Tests a credential by asking for its balance (spec §1). */
export async function mediaGenApiTest(
	this: ICredentialTestFunctions,
	credential: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const { helpers } = this;
	try {
		const connection = readConnection(credential.data);
		const { apiKey } = storedCredential.parse(credential.data);
		// n8n gives a credential test this one request helper. It takes no signal.
		const request = async (): Promise<unknown> =>
			await helpers.request({
				method: 'GET',
				uri: connection.baseUrl + BALANCE_PATH,
				headers: { Authorization: `Bearer ${keyAsSent(apiKey)}` },
				json: true,
				useStream: true,
				simple: false,
				resolveWithFullResponse: true,
				followRedirect: false,
				timeout: TEST_WITHIN_MS,
			});
		const response = await openResponse(TEST_WITHIN_MS, undefined, request);
		const answer = await readResponse(response, connection);
		if (!isSuccess(answer)) throw errorFromResponse(answer, clock.now(), NO_SERVICE);
		parseAnswer(readBalance, answer);
		return { status: 'OK', message: 'Connection successful!' };
	} catch (error) {
		return { status: 'Error', message: asError(error).message };
	}
}
