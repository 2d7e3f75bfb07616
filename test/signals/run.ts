import { execFileSync, spawn } from 'node:child_process';
import {
	chmodSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	readlinkSync,
	symlinkSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { terminalProgress } from '../../sandbox/host';
import { type Stage, STAGES } from './stages';

const HELP = `npm run test:signals [-- options] [name …]

Ends npm test, npm start and the tests on real n8n at each of their stages, by Ctrl-C (SIGINT to all processes in the foreground) and by
SIGTERM to npm alone, and lists the processes that are left. Works in clones of the last commit. Linux only; with n8n installed 20 minutes.
Ends with exit code 1 if any process is left.

  name …             only the stages whose title contains one of these
  --signal <signal>  only SIGINT or SIGTERM
  --list             print the titles
  --help             this text
`;

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
const REACHED_MS = 15 * 60_000;
const ENDED_MS = 15_000;
const NOT_REACHED = 'not reached';
const NOT_ENDED = 'not ended';

const root = resolve(__dirname, '../..');
const progress = terminalProgress();

interface Outcome {
	stage: string;
	signal: string;
	'processes before': number;
	'ended after': string;
	'exit code': number | null;
	'left behind': string;
}

/**
 * The running processes that belong to a command. n8n, Chromium and PostgreSQL leave its process group, and PostgreSQL writes over its
 * environment: the folder that the command has for temporary files is in their environment, their arguments, or is where they work.
 */
function processesOf(folder: string): Array<{ pid: number; command: string }> {
	return readdirSync('/proc')
		.filter((name) => /^\d+$/.test(name))
		.flatMap((pid) => {
			try {
				const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
				const marks = [
					command,
					readFileSync(`/proc/${pid}/environ`, 'utf8'),
					readlinkSync(`/proc/${pid}/cwd`),
				];
				return command !== '' && marks.some((mark) => mark.includes(folder))
					? [{ pid: Number(pid), command }]
					: [];
			} catch {
				// It has ended meanwhile.
				return [];
			}
		});
}

/** A clone of the last commit, so that a build that is cut off is not this checkout's. */
function cloneFor({ installs }: Stage, folder: string): string {
	const clone = join(folder, 'clone');
	execFileSync('git', ['clone', '--quiet', '--shared', root, clone]);
	if (installs !== 'packages') symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'));
	return clone;
}

async function endAt(stage: Stage, signal: (typeof SIGNALS)[number]): Promise<Outcome> {
	const folder = mkdtempSync(join(tmpdir(), 'ms-'));
	// PostgreSQL, which is another user, has its folder in there.
	chmodSync(folder, 0o755);
	try {
		return await endIn(folder, stage, signal);
	} finally {
		for (const { pid } of processesOf(folder)) process.kill(pid, 'SIGKILL');
		await rm(folder, { recursive: true, force: true, maxRetries: 5 });
	}
}

async function endIn(
	folder: string,
	stage: Stage,
	signal: (typeof SIGNALS)[number],
): Promise<Outcome> {
	const cwd = cloneFor(stage, folder);
	const outer = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name));
	const env = { N8N_HOSTS: '1.123', ...Object.fromEntries(outer), TMPDIR: folder };
	const cache = join(folder, 'cache');
	mkdirSync(cache);

	const [program = '', ...args] = stage.command;
	// A session of its own, as in a terminal.
	const child = spawn(program, args, {
		cwd,
		env: stage.installs === 'n8n' ? { ...env, MEDIAGEN_CACHE: cache } : env,
		detached: true,
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	let output = '';
	for (const stream of [child.stdout, child.stderr])
		stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
	const running = () => child.exitCode === null && child.signalCode === null;

	const { says, runs } = stage.until;
	const reached = () =>
		says.test(output) && processesOf(folder).some(({ command }) => runs.test(command));
	for (const deadline = Date.now() + REACHED_MS; !reached(); await delay(100)) {
		if (running() && Date.now() < deadline) continue;
		console.error(
			`"${stage.title}" was not reached. Its output ends with:\n${output.slice(-2_000)}`,
		);
		return {
			stage: stage.title,
			signal,
			'processes before': 0,
			'ended after': NOT_REACHED,
			'exit code': child.exitCode,
			'left behind': '',
		};
	}

	const before = processesOf(folder).length;
	const sent = Date.now();
	if (child.pid !== undefined) process.kill(signal === 'SIGINT' ? -child.pid : child.pid, signal);
	while ((running() || processesOf(folder).length > 0) && Date.now() - sent < ENDED_MS)
		await delay(100);
	const left = processesOf(folder);
	return {
		stage: stage.title,
		signal,
		'processes before': before,
		'ended after': running() ? NOT_ENDED : `${((Date.now() - sent) / 1_000).toFixed(1)} s`,
		'exit code': child.exitCode,
		'left behind': left.map(({ pid, command }) => `${pid} ${command.slice(0, 100)}`).join('; '),
	};
}

async function main(): Promise<void> {
	const { values, positionals } = parseArgs({
		allowPositionals: true,
		options: {
			signal: { type: 'string' },
			list: { type: 'boolean', default: false },
			help: { type: 'boolean', default: false },
		},
	});
	if (values.help) return console.log(HELP);
	const chosen = STAGES.filter(
		({ title }) => positionals.length === 0 || positionals.some((name) => title.includes(name)),
	);
	if (values.list) return console.log(chosen.map(({ title }) => title).join('\n'));

	const outcomes: Outcome[] = [];
	for (const stage of chosen) {
		for (const signal of SIGNALS.filter((each) => (values.signal ?? each) === each)) {
			outcomes.push(await progress.step(`${stage.title}, ${signal}`, () => endAt(stage, signal)));
		}
	}
	console.table(outcomes);
	const bad = outcomes.filter(
		(outcome) =>
			outcome['left behind'] !== '' || [NOT_REACHED, NOT_ENDED].includes(outcome['ended after']),
	);
	console.log(`${outcomes.length - bad.length} passed, ${bad.length} failed`);
	process.exitCode = bad.length > 0 ? 1 : 0;
}

main().catch((error: unknown) => {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
});
