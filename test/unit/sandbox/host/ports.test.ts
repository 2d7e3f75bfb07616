/**
 * That of the tests on real n8n, where an error of Node.js is no "instanceof Error".
 *
 * @jest-environment node
 */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { z } from 'zod/v3';
import { assertPortFree } from '../../../../sandbox/host';

test('a port that another program listens on is known as taken, and the message names the way to another one', async () => {
	const other = createServer().listen(0, '127.0.0.1');
	await once(other, 'listening');
	const { port } = z.object({ port: z.number() }).parse(other.address());
	await expect(assertPortFree(port, '--port')).rejects.toThrow(
		`Port ${port} is already taken by another program. Stop that program (lsof -i :${port} shows it), or choose another port with --port.`,
	);
	other.close();
});
