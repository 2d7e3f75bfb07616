import {
	type Connection,
	CREDENTIAL_TYPE,
	type CredentialSource,
	getConnection,
} from '../api/connection';
import { Memory } from '../util/memory';
import { clock } from '../util/clock';

/** Milliseconds for which a credential is used again. */
const KEPT_MS = 2_000;

const recent = new Memory<Promise<Connection>>(100, KEPT_MS);

/**
 * The node's credential, read at most once in two seconds. n8n reads and decrypts a row of its database each time, for which n8n 2.41
 * makes an isolate: in a burst that is more than a quarter of what a callback costs. Returns `undefined` for a node without one.
 */
export async function recentConnection(context: CredentialSource): Promise<Connection | undefined> {
	const reference = context.getNode().credentials?.[CREDENTIAL_TYPE];
	if (!reference) return undefined;
	const { id } = reference;
	if (!id) return await getConnection(context);
	const known = recent.get(id);
	if (known) return await known;
	const connection = getConnection(context);
	recent.set(id, connection);
	connection.catch(() => recent.delete(id));
	// The key must not stay in memory until the next call.
	void clock.sleep(2 * KEPT_MS).then(() => recent.forgetOld());
	return await connection;
}
