import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { assertPortFree, type Host, packWhereChanged, startHost, terminalProgress } from '../host';
import { createSandbox, type Sandbox } from '../service';
import { importExamples } from './examples';
import { readOptions, type StartOptions } from './options';
import { runPipeline } from './pipeline';
import { rebuildOnChange } from './watch';

const progress = terminalProgress();

/** What is undone at the end, the newest first, however the program ends. */
type Cleanup = Array<() => Promise<void>>;

/**
 * The work of `npm start`.
 *
 * @param root the checkout
 * @param given the options of the command line
 * @param stopped resolves with the signal that asks for the end
 * @returns the signal, if it came before everything was running
 */
export async function main(
	root: string,
	given: unknown,
	stopped: Promise<NodeJS.Signals>,
): Promise<NodeJS.Signals | undefined> {
	const options = readOptions(given);
	const cleanup: Cleanup = [];
	try {
		const early = await Promise.race([serve(root, options, cleanup), stopped]);
		if (early === undefined && !options.once) await stopped;
		return early;
	} finally {
		if (cleanup.length > 0) await progress.step('Ending n8n and the sandbox', () => undo(cleanup));
	}
}

async function undo(cleanup: Cleanup): Promise<void> {
	for (const task of cleanup.reverse())
		await task().catch((error: unknown) => console.error(error));
}

async function serve(root: string, options: StartOptions, cleanup: Cleanup): Promise<undefined> {
	const { host, sandbox } = await bringUp(root, options, cleanup);
	const pipeline = await importExamples(host, join(root, 'examples'));
	if (!options.once) announce(host, sandbox);

	try {
		if (pipeline.isNew) await runPipeline(host, pipeline.id, root, progress);
	} catch (error) {
		if (options.once) throw error;
		// The editor shows the reason.
		console.error(error instanceof Error ? error.message : error);
	}
	if (options.once) return;
	if (options.watch) cleanup.push(rebuildOnChange(root, host, progress));
	console.log('Ctrl-C ends n8n and the sandbox.');
}

async function bringUp(
	root: string,
	options: StartOptions,
	cleanup: Cleanup,
): Promise<{ host: Host; sandbox: Sandbox }> {
	const { version, port, sandboxPort, folder } = options;
	if (port !== undefined) await assertPortFree(port, 'npm start -- --port <number>');
	if (sandboxPort !== undefined)
		await assertPortFree(sandboxPort, 'npm start -- --sandbox-port <number>');

	const tarball = await packWhereChanged(join(root, '.sandbox', 'package'), progress);
	// A kept n8n remembers the tasks of earlier starts: this one's must have other ids.
	const seed = folder === undefined ? undefined : Date.now();
	const sandbox = await createSandbox({ port: sandboxPort, allowPrivateCallbacks: true, seed });
	cleanup.push(() => sandbox.close());

	const userFolder = folder === undefined ? await temporaryFolder(cleanup) : resolve(root, folder);
	progress.info(
		folder === undefined
			? "  n8n's data is deleted at the end."
			: `  n8n's data is kept in ${relative(process.cwd(), userFolder) || '.'} (start with an empty n8n: npm start -- --fresh).`,
	);
	// Only this start is of interest.
	await rm(join(userFolder, 'n8n.log'), { force: true });
	const host = await startHost({ version, tarball, userFolder, port, progress });
	cleanup.push(() => host.stop());

	const credential = {
		name: 'MediaGen account',
		type: 'mediaGenApi',
		data: {
			baseUrl: sandbox.url,
			apiKey: sandbox.key,
			allowPrivateCallbacks: true,
			brandWords: '{}',
		},
	};
	await host.putCredential(credential);
	// The agent of an example talks to the sandbox's chat.
	const chat = { apiKey: sandbox.key, url: `${sandbox.url}/v1`, organizationId: '', header: false };
	await host.putCredential({ name: 'OpenAi account', type: 'openAiApi', data: chat });
	return { host, sandbox };
}

async function temporaryFolder(cleanup: Cleanup): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), 'mediagen-start-'));
	cleanup.push(() => rm(folder, { recursive: true, force: true }));
	return folder;
}

function announce(host: Host, sandbox: Sandbox): void {
	console.log(
		[
			'',
			`n8n ${host.version}     ${host.url}/home/workflows   (the examples)`,
			`  log in with  ${host.owner.email}  and  ${host.owner.password}`,
			`  its log is   ${host.log.file}`,
			`Sandbox      ${sandbox.url}   (API key: ${sandbox.key})`,
			'',
		].join('\n'),
	);
}
