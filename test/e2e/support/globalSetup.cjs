const { spawn } = require('node:child_process');
const { join } = require('node:path');

/** Starts the keeper of the shared hosts: a process of its own, as a test file cannot hand an object to the next one. */
module.exports = async () => {
	const keeper = spawn(process.execPath, ['--import', 'tsx', join(__dirname, 'keeper.ts')], {
		stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
	});
	process.env.MEDIAGEN_HOST_KEEPER = await new Promise((resolve, reject) => {
		keeper.once('message', ({ url }) => resolve(url));
		keeper.once('exit', (code) =>
			reject(new Error(`The keeper of the n8n hosts ended with ${code}.`)),
		);
	});
	keeper.unref();
	keeper.channel?.unref();
	globalThis.mediagenHostKeeper = keeper;
};
