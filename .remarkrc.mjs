import { createRequire } from 'node:module';
import validateLinks from 'remark-validate-links';

const { repository } = createRequire(import.meta.url)('./package.json');

/** Every link to a file or a heading of this repository leads somewhere, also with its address on the web. The network is not asked. */
export default {
	plugins: [
		[
			validateLinks,
			{ root: import.meta.dirname, repository: repository.url.replace(/^git\+/, '') },
		],
	],
};
