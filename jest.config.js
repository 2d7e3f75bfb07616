/** @type {import('jest').Config} */
module.exports = {
	testEnvironment: 'node',
	testMatch: ['<rootDir>/test/**/*.test.ts'],
	transform: {
		'^.+\\.ts$': ['ts-jest', { tsconfig: 'tsconfig.json' }],
	},
	// The packages in n8n's folders, and Stryker's copies, bear the name of this one.
	modulePathIgnorePatterns: ['<rootDir>/.sandbox/', '<rootDir>/.stryker-tmp/'],
	testTimeout: 60_000,
	// n8n-core, once loaded, keeps timers of its own that would keep the process running.
	forceExit: true,
};
