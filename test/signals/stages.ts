/** A moment at which a command is ended. */
export interface Stage {
	title: string;
	command: string[];
	/** What must stand in its output, and in the command line of a process that it has started. */
	until: { says: RegExp; runs: RegExp };
	/** What is not there yet: npm's packages, or an n8n. */
	installs?: 'packages' | 'n8n';
}

const stage = (name: string) => ['npm', 'test', '--', '--stage', name];
const e2e = (name: string) => ['npm', 'run', 'test:e2e', '--', name];
const start = ['npm', 'start', '--', '--fresh', '--port', '15678', '--sandbox-port', '15690'];

const rows: Array<
	[title: string, command: string[], says: RegExp, runs: RegExp, installs?: Stage['installs']]
> = [
	['npm test: npm ci', ['npm', 'test'], /Installing this repository's/, /^npm ci/, 'packages'],
	['npm test: Lint', stage('Lint'), /1\/1 Lint, Types/, /\/eslint /],
	['npm test: Types', stage('Types'), /1\/1 Lint, Types/, /\/tsc /],
	['npm test: unit, engine, service', stage('Unit'), /PASS test/, /jest-worker/],
	['npm test: build', stage('Packages'), /1\/1 Packages/, /\/tsc /],
	["npm test: n8n's scan", stage('Packages'), /1\/1 Packages/, /scan\.mjs/],
	['npm test: the sandbox command', stage('Packages'), /1\/1 Packages/, /bin\/mediagen-sandbox/],
	['install of n8n: npm ci', e2e('essential/install'), /Installing n8n/, /^npm ci/, 'n8n'],
	['install of n8n: compiler', e2e('essential/install'), /Installing n8n/, /cc1/, 'n8n'],
	['essential tests: n8n starts', e2e('essential/install'), /Starting n8n/, /n8n start/],
	['essential tests: n8n runs', e2e('essential/pipeline'), /✓ Starting n8n/, /n8n start/],
	['editor', e2e('editor.test'), /✓ Starting n8n/, /chromium.*--type=renderer/],
	['queue mode: servers start', e2e('queue.test'), /Starting n8n/, /redis-server/],
	['queue mode: workers run', e2e('queue.test'), /Starting n8n/, /n8n webhook/],
	['npm start: npm ci', start, /Installing this repository's/, /^npm ci/, 'packages'],
	['npm start: build', start, /Building the package/, /gulp/],
	['npm start: install of n8n', start, /Installing n8n/, /^npm ci/, 'n8n'],
	['npm start: n8n starts', start, /Starting n8n/, /n8n start/],
	['npm start: serves', start, /Ctrl-C ends n8n/, /n8n start/],
];

export const STAGES = rows.map(([title, command, says, runs, installs]): Stage => ({
	title,
	command,
	until: { says, runs },
	installs,
}));
