import { parseArgs } from 'node:util';
import { createSandbox, DIALECTS, scaledClock, SANDBOX_KEYS } from './index';

const HELP = `Runs the MediaGen sandbox: an emulator of the media generation service.

  --port <number>   port to listen on (default 4010; 0 uses a free one)
  --host <address>  address to listen on (default 127.0.0.1)
  --scale <number>  speed of its clock, as a factor of real time (default 1)
  --seed <text>     determines ids and media (default sandbox)
  --dialect <name>  how it answers what the specification does not show: ${DIALECTS.join(', ')} (default plain)
  --public-url <url>        base of the links in results (default: the address it listens on)
  --allow-private-callbacks send callbacks to private addresses and any port too
  --help            this text`;

async function main(): Promise<void> {
	const { values } = parseArgs({
		options: {
			port: { type: 'string', default: '4010' },
			host: { type: 'string', default: '127.0.0.1' },
			scale: { type: 'string', default: '1' },
			seed: { type: 'string', default: 'sandbox' },
			dialect: { type: 'string', default: 'plain' },
			'public-url': { type: 'string' },
			'allow-private-callbacks': { type: 'boolean', default: false },
			help: { type: 'boolean', default: false },
		},
	});
	if (values.help) {
		console.log(HELP);
		return;
	}
	const dialect = DIALECTS.find((name) => name === values.dialect);
	if (!dialect) throw new Error(`--dialect is one of ${DIALECTS.join(', ')}.`);
	const sandbox = await createSandbox({
		port: Number(values.port),
		host: values.host,
		clock: scaledClock(Number(values.scale)),
		seed: values.seed,
		dialect,
		publicUrl: values['public-url'],
		allowPrivateCallbacks: values['allow-private-callbacks'],
	});
	console.log(`The MediaGen sandbox listens on ${sandbox.url}`);
	console.log(`API key: ${SANDBOX_KEYS.default}    admin: ${sandbox.adminUrl}`);
	console.log('Stop it with Ctrl-C.');
	for (const signal of ['SIGINT', 'SIGTERM'] as const) {
		process.once(signal, () => void sandbox.close());
	}
}

main().catch((error: NodeJS.ErrnoException) => {
	console.error(error.code === 'EADDRINUSE' ? `${error.message}. Choose another with --port.` : error.message);
	process.exitCode = 1;
});
