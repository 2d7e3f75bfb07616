const { createRequire } = require('node:module');
const { default: Runtime } = require('jest-runtime');

/** Loads packages once per process, not once per test file: n8n's engine takes seconds, and each mutant runs several files. */
module.exports = class extends Runtime {
	requireModuleOrMock(from, name) {
		const own = /^[./]|^@jest\/globals$|^@n8n\/ai-node-sdk$/.test(name);
		return own ? super.requireModuleOrMock(from, name) : createRequire(from)(name);
	}
};
