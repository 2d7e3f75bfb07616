// npm start and npm run dev. Plain JavaScript: it installs what is missing, then hands over to sandbox/start/main.ts.
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ensureDependencies, programsToInstall } from './host/dependencies.mjs';
import { endDescendants, endSignal, exitCodeOf } from './host/machine/processes.mjs';
import programs from './host/machine/programs.cjs';

const HELP = `npm start [-- options]
npm run dev [-- options]

Starts the sandbox service and a real n8n with this package in it, imports the examples, runs the example pipeline (uploads
a picture, makes two from it, downloads them) and serves n8n's editor. n8n's data (workflows, executions, files) is kept in
.sandbox/n8n for the next start, in a folder for each version and --port. "npm run dev" also rebuilds the package and restarts
n8n when a source file changes.

Options
  --fresh                start with an empty n8n, and delete its data at the end
  --once                 with an empty n8n, end after the pipeline; exit code 0 only if it worked
  --n8n <version>        2.41 (default) or 1.123
  --port <number>        the editor's port (default 5678; any free one with --once)
  --sandbox-port <n>     the sandbox service's port (default 5690; any free one with --once)
  --folder <path>        keep n8n's data here instead
  --watch                what "npm run dev" does
  --help                 this text

Needs   Node.js 20.19 or newer with npm, tar, 4 GB of disk; for the first install of n8n also python3, make and g++.
        The first start installs n8n into a cache outside this folder: about five minutes. Later starts take 20 seconds,
        and 10 more when the package has changed. MEDIAGEN_CACHE names another folder for that cache.
Stop    Ctrl-C. It ends n8n and the sandbox.
`;

let options;
try {
	({ values: options } = parseArgs({
		options: {
			once: { type: 'boolean', default: false },
			fresh: { type: 'boolean', default: false },
			watch: { type: 'boolean', default: false },
			n8n: { type: 'string', default: '2.41' },
			port: { type: 'string' },
			'sandbox-port': { type: 'string' },
			folder: { type: 'string' },
			help: { type: 'boolean', default: false },
		},
	}));
} catch (error) {
	console.error(`${error.message}\n\n${HELP}`);
	process.exit(2);
}

const root = dirname(dirname(fileURLToPath(import.meta.url)));

async function start() {
	const stopped = endSignal();
	programs.assertPrograms(['tar', ...programsToInstall(options.n8n)], 'The first install of n8n');
	const signal = await Promise.race([ensureDependencies(root), stopped]);
	if (signal !== undefined) return exitCodeOf(signal);
	const { register } = await import('tsx/cjs/api');
	register();
	const { main } = createRequire(import.meta.url)('./start/main.ts');
	const early = await main(root, options, stopped);
	return early === undefined ? 0 : exitCodeOf(early);
}

if (options.help) {
	console.log(HELP);
} else {
	try {
		process.exitCode = await start();
	} catch (error) {
		console.error(`\n${error instanceof Error ? error.message : error}`);
		process.exitCode = 1;
	}
	// An install or a build may have been cut off; n8n has ended by now.
	await endDescendants(5_000);
	process.exit();
}
