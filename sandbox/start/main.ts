import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { assertPortFree, type Host, packPackage, startHost, terminalProgress } from '../host';
import { createSandbox, type Sandbox } from '../service';
import { Cleanup, endSignal } from './cleanup';
import { importExamples, PIPELINE } from './examples';
import { readOptions, type StartOptions } from './options';
import { runPipeline } from './pipeline';

const CREDENTIAL = 'MediaGen API';

const progress = terminalProgress();

/**
 * The work of `npm start`.
 *
 * @param root the checkout
 * @param given the options of the command line
 * @returns the exit code
 */
export async function main(root: string, given: unknown): Promise<number> {
	const options = readOptions(given);
	const cleanup = new Cleanup();
	const stopped = endSignal();
	try {
		const work = serveAndRun(root, options, cleanup);
		const signal = await Promise.race([work, stopped]);
		if (signal !== undefined) return signal === 'SIGINT' ? 130 : 143;
		if (options.once) return 0;
		await stopped;
		return 0;
	} finally {
		if (cleanup.isNeeded) await progress.step('Ending n8n and the sandbox', () => cleanup.run());
		// Whatever was cut off in the middle (an install, a build) is not waited for.
		setTimeout(() => process.exit(), 1_000).unref();
	}
}

async function serveAndRun(root: string, options: StartOptions, cleanup: Cleanup): Promise<undefined> {
	const { host, sandbox } = await bringUp(options, cleanup);
	const workflows = await importExamples(host, join(root, 'examples'), sandbox);
	const pipeline = workflows.get(PIPELINE);
	if (!pipeline) throw new Error(`examples/${PIPELINE} is missing.`);
	try {
		await runPipeline(host, pipeline, root, progress);
	} catch (error) {
		if (options.once) throw error;
		// The editor is where the reason can be looked at.
		console.error(error instanceof Error ? error.message : error);
	}
	if (!options.once) announce(host, sandbox);
}

async function bringUp(options: StartOptions, cleanup: Cleanup): Promise<{ host: Host; sandbox: Sandbox }> {
	const { version, port, sandboxPort } = options;
	if (port !== undefined) await assertPortFree(port, '--port <number>');
	if (sandboxPort !== undefined) await assertPortFree(sandboxPort, '--sandbox-port <number>');

	const tarball = await packPackage({ progress });
	cleanup.add(() => rm(dirname(tarball), { recursive: true, force: true }));
	const sandbox = await createSandbox({ port: sandboxPort ?? 0, allowPrivateCallbacks: true });
	cleanup.add(() => sandbox.close());

	const temporary = options.folder === undefined ? await mkdtemp(join(tmpdir(), 'mediagen-start-')) : undefined;
	if (temporary) cleanup.add(() => rm(temporary, { recursive: true, force: true }));
	const userFolder = temporary ?? resolve(options.folder ?? '');
	const host = await startHost({ version, tarball, userFolder, ...(port !== undefined && { port }), progress });
	cleanup.add(() => host.stop());

	const credential = {
		name: CREDENTIAL,
		type: 'mediaGenApi',
		data: { baseUrl: sandbox.url, apiKey: sandbox.key, allowPrivateCallbacks: true, brandWords: '{}' },
	};
	await host.putCredential(credential);
	return { host, sandbox };
}

function announce(host: Host, sandbox: Sandbox): void {
	console.log(
		[
			`n8n ${host.version}   ${host.url}`,
			`  log in with  ${host.owner.email}  and  ${host.owner.password}`,
			`  its log is   ${host.log.file}`,
			`Sandbox      ${sandbox.url}   (API key: ${sandbox.key})`,
			'',
			'Ctrl-C ends both.',
		].join('\n'),
	);
}
