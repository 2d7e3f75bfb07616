// npm start. Plain JavaScript: it installs what is missing, then hands over to sandbox/start/main.ts.
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ensureDependencies } from './host/dependencies.mjs';

const HELP = `npm start [-- options]

Brings up the sandbox service and a real n8n with this package in it, runs the example pipeline once (uploads a picture,
makes two from it, downloads them), says what it made and where, then serves n8n's editor.

Options
  --once                 end after the pipeline; exit code 0 only if it worked
  --n8n <version>        2.41 (default) or 1.123
  --port <number>        the editor's port (default 5678; any free one with --once)
  --sandbox-port <n>     the sandbox service's port (default 5690; any free one with --once)
  --folder <path>        keep n8n's data (workflows, executions, files) here for the next start;
                         without it, each start is a fresh n8n
  --help                 this text

Needs   Node.js 20.19 or newer with npm, python3, make and g++ (to build n8n's sqlite3), tar, about 4 GB of disk.
        The first start installs n8n into a cache outside this folder: four to eight minutes. Later ones take
        half a minute. MEDIAGEN_CACHE names another folder for that cache.
Stop    Ctrl-C. It ends n8n and the sandbox; nothing stays behind.
`;

let options;
try {
	({ values: options } = parseArgs({
		options: {
			once: { type: 'boolean', default: false },
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

if (options.help) {
	console.log(HELP);
} else {
	const root = dirname(dirname(fileURLToPath(import.meta.url)));
	try {
		await ensureDependencies(root);
		const { register } = await import('tsx/cjs/api');
		register();
		const { main } = createRequire(import.meta.url)('./start/main.ts');
		process.exitCode = await main(root, options);
	} catch (error) {
		console.error(`\n${error instanceof Error ? error.message : error}`);
		process.exitCode = 1;
	}
}
