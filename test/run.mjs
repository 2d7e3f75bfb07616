// npm test and npm run test:e2e. Plain JavaScript: it installs what is missing first.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ensureDependencies } from '../sandbox/host/dependencies.mjs';

const HELP = `npm test                          everything: lint, types, build, n8n's scan, all tests, those on real n8n too
npm run test:e2e [-- name …]      builds, then runs the tests on real n8n only (those files whose path contains a name)

Closes with one line, "N passed, N failed". Ends at the first stage that fails.

N8N_HOSTS=1.123,2.41              which n8n to test on (default: both)
MEDIAGEN_CACHE=<folder>           where n8n is installed, once, outside this folder

Needs   Node.js 20.19 or newer with npm, python3, make and g++, tar, about 4 GB of disk. The first run installs n8n:
        four to eight minutes.
Stop    Ctrl-C. It ends every n8n that was started.
`;

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const totals = { passed: 0, failed: 0, skipped: 0 };

async function run(command, args, env = {}) {
	const child = spawn(command, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } });
	const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
	if (code !== 0) throw new Error(`"${command} ${args.join(' ')}" ended with ${code}`);
}

const npmRun = (script) => () => run('npm', ['run', '--silent', script]);

const jest = (...args) => async () => {
	const folder = mkdtempSync(join(tmpdir(), 'mediagen-jest-'));
	const outputFile = join(folder, 'results.json');
	try {
		await run(process.execPath, ['node_modules/jest/bin/jest.js', ...args, '--json', `--outputFile=${outputFile}`], {
			MEDIAGEN_BUILT: '1',
		});
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

const E2E_CONFIG = 'test/e2e/support/jest.config.js';

const EVERYTHING = [
	['Lint', npmRun('lint')],
	['Types', npmRun('typecheck')],
	['Build', npmRun('build')],
	["n8n's package scan", jest('test/package')],
	['Tests', jest('--testPathIgnorePatterns', '/node_modules/', '/test/package/', '/test/e2e/')],
	['Tests on real n8n', jest('--config', E2E_CONFIG)],
];

const { values, positionals } = parseArgs({ allowPositionals: true, options: { help: { type: 'boolean', default: false } } });
const [suite = 'everything', ...names] = positionals;
const stages =
	suite === 'e2e'
		? [
				['Build', npmRun('build')],
				['Tests on real n8n', jest('--config', E2E_CONFIG, ...names)],
			]
		: EVERYTHING;

if (values.help) {
	console.log(HELP);
} else {
	try {
		await ensureDependencies(root);
		for (const [index, [title, work]] of stages.entries()) {
			console.log(`\n━━ ${index + 1}/${stages.length} ${title} ━━\n`);
			await work();
		}
	} catch (error) {
		console.error(`\n${error.message}`);
		process.exitCode = 1;
	}
	const skipped = totals.skipped > 0 ? `, ${totals.skipped} skipped` : '';
	console.log(`\n${totals.passed} passed, ${totals.failed} failed${skipped}`);
}
