const base = require('../../jest.config.js');

/** The tests of the file that is mutated: `run.mjs` names them. */
const tests = process.env.MUTATION_TESTS?.split(',') ?? [];

module.exports = {
	...base,
	rootDir: '../..',
	testMatch: tests.map((path) => `<rootDir>/test/${path}.test.ts`),
	testSequencer: require.resolve('./sequencer.cjs'),
};
