import {
	type Connection,
	CREDENTIAL_TYPE,
	type CredentialSource,
	getConnection,
} from '../shared/api/connection';
import { Memory } from '../shared/util/memory';
import { clock } from '../shared/util/clock';

/** Milliseconds for which a credential that was read is reused. */
const KEPT_MS = 2_000;

const recent = new Memory<Promise<Connection>>(100, KEPT_MS);

/** The node's credential, if it has one. In a burst, reading it for each call would cost n8n more than a quarter of a callback. */
export async function recentConnection(context: CredentialSource): Promise<Connection | undefined> {
	const reference = context.getNode().credentials?.[CREDENTIAL_TYPE];
	if (!reference) return undefined;
	const { id } = reference;
	if (!id) return await getConnection(context);
	const known = recent.get(id);
	if (known) return await known;
	const reading = getConnection(context);
	recent.set(id, reading);
	reading.catch(() => recent.delete(id));
	// The key must not stay in memory until the next call.
	void clock.sleep(2 * KEPT_MS).then(() => recent.forgetOld());
	return await reading;
}
