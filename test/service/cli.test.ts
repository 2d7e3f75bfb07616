import { spawn } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { ask } from './support/sandbox';

const CLI = path.join(__dirname, '../../sandbox/service/cli.ts');

function run(...args: string[]) {
	const child = spawn(process.execPath, ['--import', 'tsx', CLI, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
	let output = '';
	child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
	child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
	const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
	return {
		child,
		ended,
		output: () => output,
		says: async (pattern: RegExp): Promise<RegExpExecArray> => {
			for (;;) {
				const found = pattern.exec(output);
				if (found) return found;
				const code = await Promise.race([ended, new Promise<'on'>((resolve) => setTimeout(() => resolve('on'), 20))]);
				if (code !== 'on' && !pattern.test(output)) throw new Error(`It ended with ${code}: ${output}`);
			}
		},
	};
}

describe('the command', () => {
	it('says where it listens, serves there, and ends on Ctrl-C', async () => {
		const { child, ended, says } = run('--port', '0', '--scale', '50');
		const [, url] = await says(/listens on (http:\S+)/);
		await says(/Ctrl-C/);
		expect((await ask(`${url}/balance`, { headers: { authorization: 'Bearer sandbox-key' } })).body.success).toBe(true);
		child.kill('SIGINT');
		expect(await ended).toBe(0);
	});

	it('says that a port is in use, and what to do', async () => {
		const other = createServer().listen(0, '127.0.0.1');
		await new Promise((resolve) => other.once('listening', resolve));
		const { ended, output } = run('--port', String((other.address() as AddressInfo).port));
		expect(await ended).toBe(1);
		expect(output()).toMatch(/EADDRINUSE.*--port/);
		other.close();
	});

	it('answers in the dialect of --dialect, and names the dialects for an unknown one', async () => {
		const { child, ended, says } = run('--port', '0', '--dialect', 'flat');
		const [, url] = await says(/listens on (http:\S+)/);
		const submission = await ask(`${url}/v1/images/generations`, {
			method: 'POST',
			headers: { authorization: 'Bearer sandbox-key', 'content-type': 'application/json' },
			body: JSON.stringify({ model: 'imagegen-2-official', prompt: 'x' }),
		});
		expect(Object.keys(submission.body)).toEqual(['task_id']);
		child.kill('SIGINT');
		await ended;

		const unknown = run('--port', '0', '--dialect', 'latin');
		expect(await unknown.ended).toBe(1);
		expect(unknown.output()).toMatch(/--dialect is one of plain, enveloped, flat, nested, verbose/);
	});
});
