import {
	type Connection,
	CREDENTIAL_TYPE,
	type CredentialSource,
	getConnection,
} from '../shared/api/connection';
import { clock } from '../shared/util/clock';

/** Milliseconds for which a credential is used again. */
const KEPT_MS = 2_000;

const recent = new Map<string, { connection: Connection; until: number }>();

/**
 * The node's credential, `undefined` if it has none, read at most once in two seconds. n8n reads and decrypts a row of its
 * database each time: in a burst that is more than a quarter of what a callback costs.
 */
export async function recentConnection(context: CredentialSource): Promise<Connection | undefined> {
	const reference = context.getNode().credentials?.[CREDENTIAL_TYPE];
	if (!reference) return undefined;
	const key = reference.id ?? '';
	const known = recent.get(key);
	if (key !== '' && known && clock.now() < known.until) return known.connection;
	const connection = await getConnection(context);
	recent.set(key, { connection, until: clock.now() + KEPT_MS });
	return connection;
}
