import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import sharp from 'sharp';

import { useFolder } from '../support/folder';
import { runWorkflow } from './support/executions';
import { describeWithOwnHosts, useHost } from './support/hosts';
import { chain, end, itemsOf, mediaGen, startByHand } from './support/nodes';
import { useSandbox } from './support/sandbox';

const CREDENTIAL = 'For the next node';

const TITLES = ['Lighthouse', 'Pier', 'Boat'];

describeWithOwnHosts('The next node uses a result as it is', (_, start) => {
	const folder = useFolder();
	// n8n 2.x writes nowhere else than to the folder that it is given.
	const host = useHost(start, () => ({ env: { N8N_RESTRICT_FILE_ACCESS_TO: folder() } }));
	const sandbox = useSandbox(host, CREDENTIAL, { durations: { image: 500 } });

	test('rows of a sheet → Image → Read/Write Files: a file on disk per row, named after a column; a task per row', async () => {
		const rows = itemsOf(JSON.stringify(TITLES.map((title) => ({ title, prompt: `A ${title}` }))));
		const images = mediaGen('Images', 'mediaGenImage', CREDENTIAL, {
			prompt: '={{ $json.prompt }}',
			output: 'files',
			options: { fileName: '={{ $json.title }}' },
		});
		const write = {
			name: 'Write',
			type: 'n8n-nodes-base.readWriteFile',
			parameters: {
				operation: 'write',
				fileName: `=${folder()}/{{ $json.fileName }}`,
				dataPropertyName: 'data',
				options: {},
			},
		};
		const nodes = [startByHand, rows, images, write, end];
		const execution = await runWorkflow(host(), chain('Rows to files', nodes));
		expect(execution.error).toBeUndefined();
		expect(sandbox().ledger().accepted).toBe(TITLES.length);
		for (const title of TITLES) {
			const file = await readFile(join(folder(), `${title}.png`));
			expect(await sharp(file).metadata()).toMatchObject({ format: 'png', width: 1024 });
		}
	});
});
