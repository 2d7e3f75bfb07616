// Plain JavaScript, and nothing but Node.js itself: npm start and the test runner look for programs before anything is installed.
const { existsSync, readdirSync } = require('node:fs');
const { delimiter, join } = require('node:path');

/** Programs that npm does not bring: the Debian package of each, and the names under which it is found. */
const PROGRAMS = {
	python3: { from: 'python3' },
	make: { from: 'make' },
	'g++': { from: 'g++' },
	tar: { from: 'tar' },
	chromium: {
		from: 'chromium',
		names: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
	},
	'redis-server': { from: 'redis-server' },
	initdb: { from: 'postgresql' },
	postgres: { from: 'postgresql' },
	pg_isready: { from: 'postgresql' },
	setpriv: { from: 'util-linux' },
	nginx: { from: 'nginx' },
};

/** What an n8n needs to be installed: it builds sqlite3. */
const COMPILER = ['python3', 'make', 'g++'];

/** What a PostgreSQL needs. It refuses to run as root, hence setpriv. */
const POSTGRES = ['initdb', 'postgres', 'pg_isready', 'setpriv'];

/** What queue mode needs. */
const QUEUE_MODE = ['redis-server', ...POSTGRES];

/** Debian keeps the commands of PostgreSQL's server out of PATH, in a folder for each major version. */
function postgresFolders() {
	const base = '/usr/lib/postgresql';
	if (!existsSync(base)) return [];
	const majors = readdirSync(base).sort((one, other) => Number(other) - Number(one));
	return majors.map((major) => join(base, major, 'bin'));
}

function findProgram(program) {
	if (program === 'chromium' && process.env.MEDIAGEN_CHROMIUM) return process.env.MEDIAGEN_CHROMIUM;
	const { names = [program] } = PROGRAMS[program];
	const folders = [...(process.env.PATH ?? '').split(delimiter), ...postgresFolders()];
	return names
		.flatMap((name) => folders.map((folder) => join(folder, name)))
		.find((path) => existsSync(path));
}

function programPath(program) {
	assertPrograms([program], 'This');
	return findProgram(program);
}

function assertPrograms(programs, purpose) {
	const missing = [...new Set(programs)].filter((program) => !findProgram(program));
	if (missing.length === 0) return;
	const packages = [...new Set(missing.map((program) => PROGRAMS[program].from))].join(' ');
	throw new Error(
		`${purpose} needs ${missing.join(', ')}, which this machine does not have.\nOn Debian and Ubuntu, install with: sudo apt-get install -y --no-install-recommends ${packages}`,
	);
}

/** What the tests of a restart behind a reverse proxy need. */
const PROXY = ['nginx', 'setpriv'];

module.exports = { COMPILER, POSTGRES, PROXY, QUEUE_MODE, assertPrograms, programPath };
