import type { INodeParameters, INodeType } from 'n8n-workflow';

import { MediaGenBalance } from '../../../../nodes/MediaGenBalance/MediaGenBalance.node';
import { MediaGenUpload } from '../../../../nodes/MediaGenUpload/MediaGenUpload.node';
import { outputSchemaOf } from '../../../../nodes/shared/output/outputSchemas';
import { ok, runNode } from '../../support/engine';
import { inputOf } from '../../support/operations';
import { fileItem, picture, useSandbox } from '../../support/sandbox';

const service = useSandbox();

const options = { pollInterval: 1 };
const get = { resource: 'balance', operation: 'get' };
const upload = { resource: 'image', operation: 'upload' };

const CASES: Array<[string, () => { node: INodeType; parameters: INodeParameters }]> = [
	['music', () => inputOf('music.sounds', { options })],
	['tags', () => inputOf('music.upsampleTags')],
	['image', () => inputOf('image.generate', { options })],
	['video', () => inputOf('video.generate', { options })],
	['grid', () => inputOf('grid.reroll', { options, taskId: service.sandbox.originals.grid().id })],
	['chat', () => inputOf('chat.message')],
	['balance', () => ({ node: new MediaGenBalance(), parameters: get })],
	['upload', () => ({ node: new MediaGenUpload(), parameters: upload })],
];

test.each(CASES)('what the editor shows of %s before a run comes out', async (_, inputs) => {
	const { node, parameters } = inputs();
	const items = [await fileItem(await picture(8, 8))];
	const credential = service.credential();
	const { json } = ok(await runNode({ node, parameters, items, credential }));
	const schema = outputSchemaOf(String(parameters.resource), String(parameters.operation));
	expect(schema?.safeParse(json[0]).error?.issues).toBeUndefined();
	// What the schema asks for is there by its own name, not by chance.
	const required = schema?.safeParse({}).error?.issues.map(({ path }) => path[0]) ?? [];
	expect(required.length).toBeGreaterThan(1);
	expect(Object.keys(json[0] ?? {})).toEqual(expect.arrayContaining(required));
});
