#!/usr/bin/env node
import { type CommandOptions, HELP, readCommandLine, UsageError } from './commandLine';
import { createSandbox, type Sandbox } from './createSandbox';
import { scaledClock } from './core/time/clocks';
import { version } from './package.json';

async function start(options: CommandOptions): Promise<Sandbox> {
	const { port, host, key } = options;
	const sandbox = await createSandbox({
		port,
		host,
		publicUrl: options['public-url'],
		keys: [{ key }],
		clock: scaledClock(options.speed),
		dialect: options.dialect,
		strict: options.strict,
		// An n8n remembers the tasks of earlier starts: those of this one must have other IDs.
		seed: options.seed ?? Date.now(),
		allowPrivateCallbacks: !options['public-callbacks'],
	}).catch((error: NodeJS.ErrnoException) => {
		if (error.code === 'EADDRINUSE')
			throw new UsageError(
				`Port ${port} is in use. Choose another one, for example --port ${port + 1}.`,
			);
		if (error.syscall === undefined) throw error;
		throw new UsageError(
			`It cannot listen on ${host}, port ${port}: ${error.message}. Choose others with --host and --port.`,
		);
	});
	options.faults?.forEach((rule) => sandbox.faults.add(rule));
	return sandbox;
}

function announcement({ url, adminUrl }: Sandbox, { key }: CommandOptions): string {
	return `MediaGen sandbox ${version} listens on ${url}

In n8n, create a credential "MediaGen API":
  Base URL                 ${url}
  API Key                  ${key}
  Allow Private Callbacks  on

Requests, charges, faults: ${adminUrl}
Ctrl-C ends it.`;
}

/** For npx, which ends at SIGTERM and does not pass it on to what it has started. */
function onParentEnd(end: () => void): void {
	const parent = process.ppid;
	const watch = setInterval(() => {
		if (process.ppid === parent) return;
		clearInterval(watch);
		end();
	}, 500);
	watch.unref();
}

async function main(): Promise<void> {
	const options = readCommandLine(process.argv.slice(2));
	if (options.help) return console.log(HELP);
	if (options.version) return console.log(version);
	const sandbox = await start(options);
	const end = () => void sandbox.close();
	for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end);
	if (process.env.npm_command === 'exec') onParentEnd(end);
	console.log(announcement(sandbox, options));
}

main().catch((error: unknown) => {
	if (error instanceof UsageError)
		console.error(`${error.message}\nAll options: mediagen-sandbox --help`);
	else console.error(error);
	process.exitCode = error instanceof UsageError ? 2 : 1;
});
