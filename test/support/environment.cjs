const { TestEnvironment } = require('jest-environment-node');

let killed;

/** Node's environment. Packages are outside of it (runtime.cjs): what they compare by identity must be the same in both. */
module.exports = class extends TestEnvironment {
	constructor(config, context) {
		super(config, context);
		Object.assign(this.global, { process, Error, TypeError, Promise });
	}

	/** Skips the rest of a mutant's tests after the first that fails: Jest, when called by a program, would run them all. */
	handleTestEvent({ name, test }) {
		const mutant = process.env.__STRYKER_ACTIVE_MUTANT__;
		if (mutant === undefined) return;
		if (name === 'test_start' && killed === mutant) test.mode = 'skip';
		if (name === 'test_done' && test.errors.length > 0) killed = mutant;
	}
};
