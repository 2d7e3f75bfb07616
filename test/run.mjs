// npm test, test:fast, test:all and test:e2e. Plain JavaScript: it installs what is missing first.
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ensureDependencies, programsToInstall } from '../sandbox/host/dependencies.mjs';
import { endDescendants, endSignal, exitCodeOf } from '../sandbox/host/machine/processes.mjs';
import programs from '../sandbox/host/machine/programs.cjs';

const HELP = `npm run test:fast                 lint, types, and all tests that need no n8n: 5 minutes
npm test                          that, the build, n8n's package scan, and the essential tests on one real n8n (1.123):
                                  6 minutes, and 2 more for the first install of n8n
npm run test:all                  everything: both n8n, the editor, agents, queue mode, many callbacks: 50 minutes
npm run test:all -- --rest        what of that "npm test" leaves out
npm run test:e2e [-- name …]      the build, and the tests on real n8n (those files whose path contains a name)
npm test -- --stage <name>        only those stages whose title contains the name, for example Unit
npm run test:soak                 many purchases on both n8n under random faults and kills: 15 minutes; in none of the above
npm run test:mutation             breaks the code in small ways and counts how often a test notices: 1 to 10 minutes per file; in
                                  none of the above

Closes with one line, "N passed, N failed". Ends at the first stage that fails.

N8N_HOSTS=1.123,2.41              which n8n to test on
MEDIAGEN_CACHE=<folder>           where n8n is installed, once, outside this folder

Needs   Node.js 20.19 or newer with npm. Tests on real n8n: python3, make and g++ for its first install, tar, 4 GB of disk.
        test:all and test:e2e: also Chromium, Redis, PostgreSQL and nginx. What is missing is named before the first stage.
Stop    Ctrl-C. It ends everything that was started.
`;

/** Runs on Node.js 20, the oldest that this package supports, and is installed in half the time of 2.41, which needs Node.js 24. */
const QUICKEST_HOST = '1.123';

const HOSTS = ['1.123', '2.41'];

/** What `npm test` runs on real n8n: the files in this folder. */
const ESSENTIAL = 'test/e2e/essential/';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const totals = { passed: 0, failed: 0, skipped: 0 };
let hasBegun = false;

async function run(command, args, env = {}) {
	// In a session of its own, so that Ctrl-C reaches this program alone, which then ends all of them in order.
	const child = spawn(command, args, {
		cwd: root,
		detached: true,
		stdio: ['ignore', 'inherit', 'inherit'],
		env: { ...process.env, ...env },
	});
	const code = await new Promise((resolve, reject) =>
		child.once('error', reject).once('close', resolve),
	);
	if (code !== 0) throw new Error(`"${command} ${args.join(' ')}" ended with ${code}`);
}

const npmRun = (script) => () => run('npm', ['run', '--silent', script]);

const jest =
	(args, env = {}) =>
	async () => {
		const folder = mkdtempSync(join(tmpdir(), 'mediagen-jest-'));
		const outputFile = join(folder, 'results.json');
		try {
			await run(
				process.execPath,
				['node_modules/jest/bin/jest.js', ...args, '--json', `--outputFile=${outputFile}`],
				env,
			);
		} finally {
			count(outputFile);
			rmSync(folder, { recursive: true });
		}
	};

function count(outputFile) {
	try {
		const results = JSON.parse(readFileSync(outputFile, 'utf8'));
		totals.passed += results.numPassedTests;
		// A file that could not even be loaded has no tests to count, but must not look like a success.
		totals.failed += results.numFailedTests + results.numRuntimeErrorTestSuites;
		totals.skipped += results.numPendingTests + results.numTodoTests;
	} catch {
		totals.failed += 1;
	}
}

/** Jest on real n8n; its arguments choose files by path. What runs beside it is in another lane, and takes other ports. */
const onHosts = (hosts, args, lane = 0) =>
	jest(['--config', 'test/e2e/support/jest.config.js', ...args], {
		N8N_HOSTS: hosts.join(','),
		MEDIAGEN_FIRST_PORT: String(20_000 + 4_000 * lane),
	});

/** Stages at once. None is cut short when another fails: its tests count, too. */
const beside =
	(...stages) =>
	async () => {
		const ends = await Promise.allSettled(stages.map(async (stage) => await stage()));
		const failed = ends.find(({ status }) => status === 'rejected');
		if (failed) throw failed.reason;
	};

const inOrder =
	(...stages) =>
	async () => {
		for (const stage of stages) await stage();
	};

/** The test files on real n8n, by their paths from the root. */
const filesOnHosts = () =>
	readdirSync(join(root, 'test/e2e'), { recursive: true })
		.filter((path) => path.endsWith('.test.ts'))
		.map((path) => join('test/e2e', path));

const sharesHosts = (path) => readFileSync(join(root, path), 'utf8').includes('OnHosts(');

/** Files that flood n8n with callbacks. One after the other: the sender gives up what two floods at once would leave unanswered. */
const FLOODS = /\/(queue|callbacks|trigger|pauseMoments)\.test/;

/** Files that run in another lane than their kind, which has the time for them. */
const IN_SECOND_LANE = /\/binaryData\.test/;
const IN_THIRD_LANE = /\/editor\/|\/endlessAnswers\.test/;

/**
 * The tests on real n8n that `npm test` leaves out, in three lanes. Files that share the hosts of their lane come one after the other.
 * Those with hosts of their own wait most of their time, for retries, restarts and time limits: they run beside, in two lanes.
 */
function othersOnHosts(hosts, essential) {
	const laneOf = (path) => {
		if (IN_THIRD_LANE.test(path)) return 2;
		if (FLOODS.test(path) || IN_SECOND_LANE.test(path)) return 1;
		return sharesHosts(path) ? 0 : 2;
	};
	const files = filesOnHosts().filter((path) => !path.startsWith(ESSENTIAL));
	const [first, second, third] = [0, 1, 2].map((lane) =>
		onHosts(hosts, ['--runTestsByPath', ...files.filter((path) => laneOf(path) === lane)], lane),
	);
	return beside(first, inOrder(...essential.map((host) => essentialOn(host, 1)), second), third);
}

/** Builds and packs once, unless the packages are given. */
async function pack() {
	if (process.env.MEDIAGEN_PACKAGES !== undefined) return;
	await npmRun('packages')();
	process.env.MEDIAGEN_PACKAGES = join(root, 'packages');
}

const FAST = [
	[
		'Lint, Types; Unit, engine, service and docs',
		beside(
			npmRun('lint'),
			npmRun('typecheck'),
			// Half of their time the tests wait for a time limit. More at once would be late for those limits.
			jest([
				`--maxWorkers=${2 * availableParallelism()}`,
				'--testPathIgnorePatterns',
				'/node_modules/',
				'/test/package/',
				'/test/e2e/',
			]),
		),
	],
];

const essentialOn = (host, lane) => onHosts([host], [ESSENTIAL], lane);

/** What each command runs: its stages, and the programs that they need beside a compiler. */
function suite(name, files, rest) {
	const chosen = process.env.N8N_HOSTS?.split(',').map((host) => host.trim()) ?? HOSTS;
	const essential = process.env.N8N_HOSTS ? chosen : [QUICKEST_HOST];
	const others = chosen.filter((host) => !essential.includes(host));
	const all = ['chromium', ...programs.QUEUE_MODE, ...programs.PROXY];

	const test = [
		...FAST,
		["Packages: n8n's scan, the sandbox command", inOrder(pack, jest(['test/package']))],
		...essential.map((host) => [
			`Essential tests on n8n ${host}`,
			inOrder(pack, essentialOn(host)),
		]),
	];
	const remaining = [
		`Other tests on n8n ${chosen.join(' and ')}`,
		inOrder(pack, othersOnHosts(chosen, others)),
	];

	switch (name) {
		case 'fast':
			return { stages: FAST, hosts: [], needs: [] };
		case 'test':
			return { stages: test, hosts: essential, needs: [] };
		case 'all':
			return {
				stages: rest ? [remaining] : [...test, remaining],
				hosts: chosen,
				needs: all,
			};
		case 'e2e':
			return {
				stages: [['Tests on real n8n', inOrder(pack, onHosts(chosen, files))]],
				hosts: chosen,
				needs: programsOf(files),
			};
		default:
			throw new Error(`There is no suite "${name}".\n\n${HELP}`);
	}
}

/** The programs that the test files on real n8n need whose path contains one of these names. */
function programsOf(names) {
	const chosen = (path) => names.length === 0 || names.some((name) => path.includes(name));
	const paths = filesOnHosts().filter(chosen);
	return [
		...(paths.some((path) => path.includes('editor')) ? ['chromium'] : []),
		...(paths.some((path) => path.includes('queue')) ? programs.QUEUE_MODE : []),
		...(paths.some((path) => /queue|trigger|e2e\/callbacks/.test(path)) ? programs.PROXY : []),
		...(paths.some((path) => path.includes('settings')) ? programs.POSTGRES : []),
	];
}

async function runSuite({ stages: all, hosts, needs }, wanted) {
	const stages = all.filter(([title]) => title.includes(wanted));
	if (stages.length === 0)
		throw new Error(
			`No stage has "${wanted}" in its title. There are: ${all.map(([title]) => title).join(', ')}.`,
		);
	programs.assertPrograms(
		[...needs, ...hosts.flatMap((host) => ['tar', ...programsToInstall(host)])],
		'This command',
	);
	await ensureDependencies(root);
	for (const [index, [title, work]] of stages.entries()) {
		const began = Date.now();
		hasBegun = true;
		console.log(`\n━━ ${index + 1}/${stages.length} ${title} ━━\n`);
		await work();
		console.log(`\n${title}: ${Math.round((Date.now() - began) / 1_000)} s`);
	}
}

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: {
		help: { type: 'boolean', default: false },
		rest: { type: 'boolean', default: false },
		stage: { type: 'string', default: '' },
	},
});
const [name = 'test', ...files] = positionals;

if (values.help) {
	console.log(HELP);
} else {
	const stopped = endSignal();
	const work = (async () => await runSuite(suite(name, files, values.rest), values.stage))();
	try {
		const signal = await Promise.race([work, stopped]);
		if (signal !== undefined) {
			console.error(`\n${signal}: ending everything that was started …`);
			await endDescendants();
			process.exit(exitCodeOf(signal));
		}
	} catch (error) {
		console.error(`\n${error.message}`);
		process.exitCode = 1;
		await endDescendants();
	}
	const skipped = totals.skipped > 0 ? `, ${totals.skipped} skipped` : '';
	if (hasBegun) console.log(`\n${totals.passed} passed, ${totals.failed} failed${skipped}`);
}
