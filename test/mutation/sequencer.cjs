const { default: Sequencer } = require('@jest/test-sequencer');

/** Unit tests first: most mutants fail one, and none of them waits. */
module.exports = class extends Sequencer {
	sort(tests) {
		const rank = ({ path }) => (path.includes('/test/unit/') ? 0 : 1);
		return [...tests].sort((a, b) => rank(a) - rank(b) || a.path.localeCompare(b.path));
	}
};
