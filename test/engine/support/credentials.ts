import type {
	ICredentialDataDecryptedObject,
	ICredentialsHelper,
	IHttpRequestOptions,
} from 'n8n-workflow';

import { MediaGenApi } from '../../../credentials/MediaGenApi.credentials';

/** Hands one credential to every node and authenticates requests as n8n does: by the type's own function. */
export function oneCredential(data: ICredentialDataDecryptedObject): ICredentialsHelper {
	const type = new MediaGenApi();
	const used: Partial<ICredentialsHelper> = {
		getParentTypes: () => [],
		getCredentialsProperties: () => type.properties,
		getDecrypted: async () => await Promise.resolve({ ...data }),
		preAuthentication: async () => await Promise.resolve(undefined),
		authenticate: async (credentials, _type, request) =>
			await type.authenticate(credentials, request as IHttpRequestOptions),
	};
	return used as ICredentialsHelper;
}
