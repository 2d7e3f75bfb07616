import type { INode } from 'n8n-workflow';

import { clock } from '../shared/transport/clock';
import { type Connection, CREDENTIAL_TYPE, getConnection } from '../shared/transport/connection';

/** How long a credential that was read is gone by, in milliseconds. The key itself is read by n8n for each request. */
const KEPT_MS = 2_000;

const recent = new Map<string, { connection: Connection; until: number }>();

/**
 * The connection that the node's credential names. A burst of callbacks would read the same row of n8n's database twice
 * for each of them; this reads it once in two seconds.
 */
export async function recentConnection(context: {
	getCredentials(type: string): Promise<object>;
	getNode(): INode;
}): Promise<Connection> {
	const id = context.getNode().credentials?.[CREDENTIAL_TYPE]?.id ?? '';
	const known = recent.get(id);
	if (id !== '' && known && clock.now() < known.until) return known.connection;
	const connection = await getConnection(context);
	recent.set(id, { connection, until: clock.now() + KEPT_MS });
	return connection;
}
