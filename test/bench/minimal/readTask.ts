import type { ICredentialsDecrypted, IDataObject, IWebhookFunctions } from 'n8n-workflow';

const CREDENTIAL_TYPE = 'mediaGenApi';

/** Milliseconds for which the credential is used again, as the MediaGen Trigger does. */
const KEPT_MS = 2_000;

let recent: { credential: ICredentialsDecrypted; until: number } | undefined;

async function credentialOf(context: IWebhookFunctions): Promise<ICredentialsDecrypted> {
	if (recent && Date.now() < recent.until) return recent.credential;
	const data = await context.getCredentials(CREDENTIAL_TYPE);
	const credential = { id: '', name: '', type: CREDENTIAL_TYPE, data };
	recent = { credential, until: Date.now() + KEPT_MS };
	return credential;
}

/** Asks the service for the picture that a callback names, by n8n's own helper: the record as it came. */
export async function readTask(context: IWebhookFunctions): Promise<IDataObject> {
	const credential = await credentialOf(context);
	const url = `${String(credential.data?.baseUrl)}/v1/tasks/${String(context.getBodyData().id)}`;
	const options = { url, json: true };
	const answer: { data: IDataObject } = await context.helpers.httpRequestWithAuthentication.call(
		context,
		CREDENTIAL_TYPE,
		options,
		{ credentialsDecrypted: credential },
	);
	return answer.data;
}
