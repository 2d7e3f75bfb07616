import path from 'node:path';
import { readCommandLine, UsageError } from '../../sandbox/service/commandLine';
import { createSandbox } from '../../sandbox/service';
import { startCommand } from '../support/command';
import { openServer } from '../support/server';
import { words } from '../support/words';
import { ask } from './support/sandbox';

const CLI = path.join(__dirname, '../../sandbox/service/cli.ts');

const run = (...args: string[]) =>
	startCommand(process.execPath, ['--import', 'tsx', CLI, ...args]);

const IMAGE = {
	method: 'POST',
	headers: { authorization: 'Bearer sandbox-key', 'content-type': 'application/json' },
	body: JSON.stringify({ model: 'imagegen-2-official', prompt: 'x' }),
};

/** What the image submission answers, and whether callbacks may be private. */
async function behaviorOf(url: string) {
	return {
		submission: (await ask(`${url}/v1/images/generations`, IMAGE)).body,
		allowsPrivateCallbacks: (await ask(`${url}/_sandbox/settings`)).body.allowPrivateCallbacks,
	};
}

describe('the command', () => {
	it('says where it listens and what to enter in n8n, serves there, and ends on Ctrl-C', async () => {
		const { child, ended, says } = run('--port', '0');
		const [, url = ''] = await says(/Base URL +(http:\S+)/);
		const [, key = ''] = await says(/API Key +(\S+)/);
		await says(/Ctrl-C/);
		expect(
			(await ask(`${url}/balance`, { headers: { authorization: `Bearer ${key}` } })).body.success,
		).toBe(true);

		const { submission, allowsPrivateCallbacks } = await behaviorOf(url);
		const usual = await createSandbox();
		// An n8n takes a task with a known ID for one that it has already processed.
		expect(submission).not.toEqual((await behaviorOf(usual.url)).submission);
		expect(allowsPrivateCallbacks).toBe(true);
		await usual.close();

		child.kill('SIGINT');
		expect(await ended).toBe(0);
	});

	it('does what its options say, and ends on SIGTERM', async () => {
		const rule = {
			match: { path: '/v1/images/*' },
			nth: 2,
			effect: { type: 'status', status: 503 },
		};
		const { child, ended, says } = run(
			...words('--port 0 --public-url http://host.docker.internal:4010/ --public-callbacks'),
			...words('--dialect flat --seed a --speed 50 --faults'),
			JSON.stringify(rule),
		);
		await says(/Base URL +http:\/\/host\.docker\.internal:4010$/m);
		const [, url = ''] = await says(/(http:\S+)\/_sandbox/);

		const same = await createSandbox({ dialect: 'flat', seed: 'a' });
		expect(await behaviorOf(url)).toEqual(await behaviorOf(same.url));
		expect((await ask(`${url}/v1/images/generations`, IMAGE)).status).toBe(503);
		await same.close();

		child.kill('SIGTERM');
		expect(await ended).toBe(0);
	});

	it('says that a port is in use, and what to do', async () => {
		const other = await openServer(() => {});
		const { port } = new URL(other.url);
		const { ended, output } = run('--port', port);
		expect(await ended).toBe(2);
		expect(output()).toContain(`Port ${port} is in use. Choose another one, for example --port`);
		await other.close();
	});

	it('ends with 2 at an option that it does not have', async () => {
		const { ended, output } = run('--ports', '1');
		expect(await ended).toBe(2);
		expect(output()).toMatch(/Unknown option '--ports'.*mediagen-sandbox --help/s);
	});

	it.each([
		[['4010'], /Unexpected argument '4010'/],
		[['--port', 'abc'], /--port: Expected number/],
		[['--public-url', 'host.docker.internal:4010'], /--public-url: must begin with http/],
		[['--speed', '0'], /--speed: Number must be greater than 0/],
		[['--key', 'two words'], /--key: must be a text without spaces/],
		[
			['--dialect', 'latin'],
			/--dialect: .*'plain' \| 'enveloped' \| 'flat' \| 'nested' \| 'verbose'/,
		],
		[['--faults', 'no-such-file.json'], /--faults: Error: ENOENT.*no-such-file\.json/],
		[
			['--faults', '{ "effect": { "type": "explode" } }'],
			/--faults\.0\.effect\.type: Invalid discriminator value/,
		],
	])('names the option that cannot be used: %j', (args, message) => {
		expect(() => readCommandLine(args)).toThrow(UsageError);
		expect(() => readCommandLine(args)).toThrow(message);
	});

	it('takes fault rules from a file', () => {
		const { faults } = readCommandLine(['--faults', path.join(__dirname, 'support/faults.json')]);
		expect(faults).toMatchObject([
			{ effect: { type: 'status', status: 503 } },
			{ effect: { type: 'missingCallback' } },
		]);
	});
});
