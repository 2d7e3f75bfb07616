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

export const STAGES: Stage[] = [
	{
		title: 'npm test: npm ci',
		command: ['npm', 'test'],
		until: { says: /Installing this repository's/, runs: /^npm ci/ },
		installs: 'packages',
	},
	{
		title: 'npm test: Lint',
		command: stage('Lint'),
		until: { says: /1\/1 Lint/, runs: /\/eslint / },
	},
	{
		title: 'npm test: Types',
		command: stage('Types'),
		until: { says: /1\/1 Types/, runs: /\/tsc / },
	},
	{
		title: 'npm test: unit, engine, service',
		command: stage('Unit'),
		until: { says: /PASS test/, runs: /jest-worker/ },
	},
	{
		title: 'npm test: Build',
		command: stage('Build'),
		until: { says: /1\/1 Build/, runs: /\/tsc / },
	},
	{
		title: "npm test: n8n's scan",
		command: stage('Packages'),
		until: { says: /1\/1 Packages/, runs: /scan\.mjs/ },
	},
	{
		title: 'npm test: the sandbox command',
		command: stage('Packages'),
		until: { says: /1\/1 Packages/, runs: /bin\/mediagen-sandbox/ },
	},
	{
		title: 'install of n8n: npm ci',
		command: e2e('essential/install'),
		until: { says: /Installing n8n/, runs: /^npm ci/ },
		installs: 'n8n',
	},
	{
		title: 'install of n8n: compiler',
		command: e2e('essential/install'),
		until: { says: /Installing n8n/, runs: /cc1/ },
		installs: 'n8n',
	},
	{
		title: 'essential tests: n8n starts',
		command: e2e('essential/install'),
		until: { says: /Starting n8n/, runs: /n8n start/ },
	},
	{
		title: 'essential tests: n8n runs',
		command: e2e('essential/pipeline'),
		until: { says: /✓ Starting n8n/, runs: /n8n start/ },
	},
	{
		title: 'editor',
		command: e2e('editor.test'),
		until: { says: /✓ Starting n8n/, runs: /chromium.*--type=renderer/ },
	},
	{
		title: 'queue mode: servers start',
		command: e2e('queue.test'),
		until: { says: /Starting n8n/, runs: /redis-server/ },
	},
	{
		title: 'queue mode: workers run',
		command: e2e('queue.test'),
		until: { says: /Starting n8n/, runs: /n8n webhook/ },
	},
	{
		title: 'npm start: npm ci',
		command: start,
		until: { says: /Installing this repository's/, runs: /^npm ci/ },
		installs: 'packages',
	},
	{
		title: 'npm start: build',
		command: start,
		until: { says: /Building the package/, runs: /gulp/ },
	},
	{
		title: 'npm start: install of n8n',
		command: start,
		until: { says: /Installing n8n/, runs: /^npm ci/ },
		installs: 'n8n',
	},
	{
		title: 'npm start: n8n starts',
		command: start,
		until: { says: /Starting n8n/, runs: /n8n start/ },
	},
	{
		title: 'npm start: serves',
		command: start,
		until: { says: /Ctrl-C ends n8n/, runs: /n8n start/ },
	},
];
