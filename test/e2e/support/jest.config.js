/** @type {import('jest').Config} */
module.exports = {
	rootDir: '../../..',
	testEnvironment: 'node',
	testMatch: ['<rootDir>/test/e2e/**/*.test.ts'],
	setupFiles: ['<rootDir>/test/e2e/support/connections.cjs'],
	transform: { '^.+\\.ts$': ['ts-jest', { tsconfig: 'tsconfig.json' }] },
	modulePathIgnorePatterns: ['<rootDir>/.sandbox/'],
	globalSetup: '<rootDir>/test/e2e/support/globalSetup.cjs',
	globalTeardown: '<rootDir>/test/e2e/support/globalTeardown.cjs',
	// Two n8n at once and their tests are more than two cores can carry without disturbing one another.
	maxWorkers: 1,
	// For a test that hangs: three lanes share two cores, and one n8n takes up to 90 s to start.
	testTimeout: 600_000,
	// A suite that could not start its n8n has not closed its sandbox, which would keep the run from ending.
	forceExit: true,
};
