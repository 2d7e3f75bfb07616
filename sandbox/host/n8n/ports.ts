import { createServer } from 'node:net';

/** Said to the user as it is: which port, and how to go on. */
export class PortTakenError extends Error {
	/**
	 * @param option how the caller lets the user choose another port, for example `--port 5680`
	 */
	constructor(
		readonly port: number,
		option: string,
	) {
		super(
			`Port ${port} is already taken by another program. Stop that program (lsof -i :${port} shows it), ` +
				`or choose another port with ${option}.`,
		);
		this.name = 'PortTakenError';
	}
}

const given = new Set<number>();

/** A port of the loopback address that nothing listens on at this moment, and that was not given out here before. */
export async function freePort(): Promise<number> {
	for (;;) {
		const port = await listenOnce(0);
		if (given.has(port)) continue;
		given.add(port);
		return port;
	}
}

/**
 * Makes sure that a server can listen on `port`.
 *
 * @throws {PortTakenError}
 */
export async function assertPortFree(port: number, option: string): Promise<void> {
	try {
		await listenOnce(port);
	} catch (error) {
		if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')
			throw new PortTakenError(port, option);
		throw error;
	}
}

function listenOnce(port: number): Promise<number> {
	return new Promise((resolve, reject) => {
		const server = createServer();
		server.once('error', reject);
		server.listen(port, '127.0.0.1', () => {
			const address = server.address();
			server.close(() => resolve(typeof address === 'object' && address ? address.port : port));
		});
	});
}
