import { z } from 'zod/v3';
import type { RestClient } from './client';

const credentialSchema = z.object({ id: z.string(), name: z.string(), type: z.string() });

/** A credential as a workflow's nodes refer to it. */
export type Credential = z.infer<typeof credentialSchema>;

export interface NewCredential {
	name: string;
	type: string;
	data: Record<string, unknown>;
}

const testResultSchema = z.object({
	status: z.enum(['OK', 'Error']),
	message: z.string().optional(),
});

/** What the editor shows after "Test": green, or the reason. */
export type CredentialTestResult = z.infer<typeof testResultSchema>;

/** Creates a credential. */
export async function createCredential(
	api: RestClient,
	credential: NewCredential,
): Promise<Credential> {
	return api.call(credentialSchema, { method: 'POST', url: '/rest/credentials', data: credential });
}

/** Lists the credentials that exist. */
export async function listCredentials(api: RestClient): Promise<Credential[]> {
	return api.call(z.array(credentialSchema), { url: '/rest/credentials' });
}

/** Creates a credential, or gives the one of this name and type new values. */
export async function putCredential(
	api: RestClient,
	credential: NewCredential,
): Promise<Credential> {
	const known = (await listCredentials(api)).find(
		({ name, type }) => name === credential.name && type === credential.type,
	);
	if (!known) return createCredential(api, credential);
	return api.call(credentialSchema, {
		method: 'PATCH',
		url: `/rest/credentials/${known.id}`,
		data: credential,
	});
}

/** Tests a credential as the editor does, with the values given here. */
export async function testCredential(
	api: RestClient,
	id: string,
	credential: NewCredential,
): Promise<CredentialTestResult> {
	return api.call(testResultSchema, {
		method: 'POST',
		url: '/rest/credentials/test',
		data: { credentials: { id, ...credential } },
	});
}
