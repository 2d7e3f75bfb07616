import { connect } from 'node:net';
import { programPath } from '../machine/programs.cjs';
import { freePort } from '../n8n/ports';
import { Daemon } from './daemon';

/** Starts a Redis that keeps everything in memory. */
export async function startRedis(folder: string) {
	const port = await freePort();
	const daemon = await Daemon.start({
		name: 'Redis',
		command: programPath('redis-server'),
		args: [
			...['--port', String(port), '--bind', '127.0.0.1'],
			...['--save', '', '--appendonly', 'no', '--dir', folder],
		],
		stopSignal: 'SIGTERM',
		ready: () => ping(port),
	});
	return { port, stop: () => daemon.stop() };
}

function ping(port: number): Promise<boolean> {
	return new Promise((resolve) => {
		const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
		socket.setTimeout(1_000, () => socket.destroy());
		socket.once('data', (answer) => {
			resolve(answer.toString().startsWith('+PONG'));
			socket.destroy();
		});
		socket.once('error', () => resolve(false));
		socket.once('close', () => resolve(false));
	});
}
