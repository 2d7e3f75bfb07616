import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { WorkflowDefinition } from '../../../sandbox/host';
import { chain, end, pictureNode, promptItems, startByHand } from './nodes';

/** The name by which the examples ask for a credential. Test files share a host: each gives it its own sandbox. */
export const EXAMPLE_CREDENTIAL = 'MediaGen account';

/** The examples in which a person answers, in n8n's chat or in a form: tests of their own in editor/ run them. */
const ANSWERED_BY_A_PERSON = ['agent-approval', 'approve-clips', 'pick-a-picture'];

/** The examples for which a person needs a credential of another service: essential/exampleAccounts.test.ts runs them. */
export const WITH_AN_ACCOUNT = ['files-to-s3', 'mcp-server'];

/** The examples that write into a folder of the user. */
export const WITH_A_FOLDER = ['buy-once'];

/** Manual start → items with a prompt each → the node "Pictures" with the given parameters → end. */
export const imageWorkflow = (
	credential: string,
	parameters: object,
	items: number,
	settings: object = {},
): WorkflowDefinition =>
	chain(`Pictures ${Date.now()}`, [
		startByHand,
		promptItems(items),
		pictureNode('Pictures', credential, parameters, settings),
		end,
	]);

const FOLDER = join(__dirname, '../../../examples');

/** The names of the examples that run as they are imported. */
export const EXAMPLES = readdirSync(FOLDER)
	.map((file) => basename(file, '.json'))
	.filter((name) => ![...ANSWERED_BY_A_PERSON, ...WITH_A_FOLDER, ...WITH_AN_ACCOUNT].includes(name))
	.sort();

/** The workflow of an example, by its name. */
export const readExample = (name: string): unknown =>
	JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8'));
