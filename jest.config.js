const { compilerOptions } = require('./tsconfig.json');

// As in the build, "import()" becomes "require": Jest does not know the other, and n8n has its SDK for this one alone.
const tsconfig = { ...compilerOptions, module: 'commonjs', moduleResolution: 'node10' };

/** @type {import('jest').Config} */
module.exports = {
	runtime: require.resolve('./test/support/runtime.cjs'),
	testEnvironment: require.resolve('./test/support/environment.cjs'),
	testMatch: ['<rootDir>/test/**/*.test.ts'],
	setupFiles: ['<rootDir>/test/support/fastCheck.ts'],
	transform: {
		'^.+\\.ts$': ['ts-jest', { tsconfig }],
	},
	// Only n8n itself has it.
	moduleNameMapper: { '^@n8n/ai-node-sdk$': '<rootDir>/test/support/aiNodeSdk.ts' },
	// The packages in n8n's folders, and Stryker's copies, bear the name of this one.
	modulePathIgnorePatterns: ['<rootDir>/.sandbox/', '<rootDir>/.stryker-tmp/'],
	testTimeout: 60_000,
	// n8n-core, once loaded, keeps timers of its own that would keep the process running.
	forceExit: true,
};
