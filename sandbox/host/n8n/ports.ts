import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ports that systems give out by themselves: n8n binds its port seconds later, and again after a restart. */
const FIRST = Number(process.env.MEDIAGEN_FIRST_PORT ?? 20_000);
const END = FIRST + 4_000;

const given = new Set<number>();

/** A port of the loopback address that nothing listens on at this moment, and that was not given out here before. */
export async function freePort(): Promise<number> {
	for (;;) {
		const port = randomInt(FIRST, END);
		if (given.has(port)) continue;
		given.add(port);
		if (await isFree(port)) return port;
	}
}

/**
 * Makes sure that a server can listen on `port`.
 *
 * @param option how the caller lets the user choose another port, for example `--port 5680`
 * @throws with both, where another program listens on it
 */
export async function assertPortFree(port: number, option: string): Promise<void> {
	if (!(await isFree(port)))
		throw new Error(
			`Port ${port} is already taken by another program. Stop that program (lsof -i :${port} shows it), ` +
				`or choose another port with ${option}.`,
		);
}

function isFree(port: number): Promise<boolean> {
	return new Promise((resolve, reject) => {
		const server = createServer();
		// Asked for its code alone: in Jest's own environment an error of Node.js is no "instanceof Error".
		server.once('error', (error: NodeJS.ErrnoException) =>
			error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
		);
		server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
	});
}
