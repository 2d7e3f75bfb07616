const { createRequire } = require('node:module');
const { default: Runtime } = require('jest-runtime');

/** Loads packages once per process, as n8n does, not once per test file: its engine takes seconds. */
module.exports = class extends Runtime {
	requireModuleOrMock(from, name) {
		const own = /^[./]|^@jest\/globals$|^@n8n\/ai-node-sdk$/.test(name);
		return own ? super.requireModuleOrMock(from, name) : createRequire(from)(name);
	}
};
