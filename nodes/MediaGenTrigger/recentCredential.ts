import type { ICredentialDataDecryptedObject, ICredentialsDecrypted, INode } from 'n8n-workflow';

import { clock } from '../shared/util/clock';
import { type Connection, connectionOf, CREDENTIAL_TYPE } from '../shared/api/connection';

/** How long a credential that was read is gone by, in milliseconds. */
const KEPT_MS = 2_000;

/** A credential as n8n gave it a moment ago. */
export interface RecentCredential {
	connection: Connection;
	/** The same for n8n, to sign requests with. The key is in it. */
	decrypted: ICredentialsDecrypted;
}

const recent = new Map<string, RecentCredential & { until: number }>();

/**
 * The node's credential, `undefined` if it has none. n8n reads and decrypts a row of its database each time it is asked
 * for one, and for each request: in a burst of callbacks that is more than a quarter of what a callback costs. This asks
 * once in two seconds.
 */
export async function recentCredential(context: {
	getCredentials(type: string): Promise<ICredentialDataDecryptedObject>;
	getNode(): INode;
}): Promise<RecentCredential | undefined> {
	const node = context.getNode();
	const reference = node.credentials?.[CREDENTIAL_TYPE];
	if (!reference) return undefined;
	const key = reference.id ?? '';
	const known = recent.get(key);
	if (key !== '' && known && clock.now() < known.until) return known;
	const data = await context.getCredentials(CREDENTIAL_TYPE);
	const connection = connectionOf(node, data);
	const read = { connection, decrypted: { id: key, name: reference.name, type: CREDENTIAL_TYPE, data } };
	recent.set(key, { ...read, until: clock.now() + KEPT_MS });
	return read;
}
