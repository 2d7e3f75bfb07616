import type { INodeParameters, INodeType } from 'n8n-workflow';

import { MediaGenBalance } from '../../../../nodes/MediaGenBalance/MediaGenBalance.node';
import { MediaGenChatCache } from '../../../../nodes/MediaGenChatCache/MediaGenChatCache.node';
import { MediaGenGrid } from '../../../../nodes/MediaGenGrid/MediaGenGrid.node';
import { MediaGenImage } from '../../../../nodes/MediaGenImage/MediaGenImage.node';
import { MediaGenMusic } from '../../../../nodes/MediaGenMusic/MediaGenMusic.node';
import { MediaGenUpload } from '../../../../nodes/MediaGenUpload/MediaGenUpload.node';
import { MediaGenVideo } from '../../../../nodes/MediaGenVideo/MediaGenVideo.node';
import { outputSchemaOf } from '../../../../nodes/shared/output/outputSchemas';
import { runNode } from '../../support/engine';
import { fileItem, picture, useSandbox } from '../../support/sandbox';

const service = useSandbox();

const fast = { pollInterval: 1 };

const CASES: Array<[string, INodeType, INodeParameters, () => INodeParameters]> = [
	[
		'music',
		new MediaGenMusic(),
		{ resource: 'music', operation: 'sounds', prompt: 'waves', options: fast },
		() => ({}),
	],
	[
		'tags',
		new MediaGenMusic(),
		{ resource: 'music', operation: 'upsampleTags', tags: 'folk' },
		() => ({}),
	],
	[
		'image',
		new MediaGenImage(),
		{ resource: 'image', operation: 'generate', prompt: 'x', options: fast },
		() => ({}),
	],
	[
		'video',
		new MediaGenVideo(),
		{ resource: 'video', operation: 'generate', prompt: 'x', options: fast },
		() => ({}),
	],
	[
		'grid',
		new MediaGenGrid(),
		{ resource: 'grid', operation: 'reroll', options: fast },
		() => ({ taskId: service.sandbox.originals.grid().id }),
	],
	['balance', new MediaGenBalance(), { resource: 'balance', operation: 'get' }, () => ({})],
	[
		'upload',
		new MediaGenUpload(),
		{ resource: 'image', operation: 'upload', source: 'binary', binaryPropertyName: 'data' },
		() => ({}),
	],
	[
		'chat',
		new MediaGenChatCache(),
		{ resource: 'chat', operation: 'message', model: 'm', prompt: 'Why?', maxTokens: 10 },
		() => ({}),
	],
];

test.each(CASES)(
	'what the editor shows of %s before the first run is what comes out',
	async (_, node, parameters, more) => {
		const items = [await fileItem(await picture(8, 8))];
		const { json, error } = await runNode({
			node,
			parameters: { ...parameters, ...more() },
			items,
			credential: service.credential(),
		});
		expect(error).toBeUndefined();
		const schema = outputSchemaOf(String(parameters.resource), String(parameters.operation));
		expect(schema?.safeParse(json[0]).error?.issues).toBeUndefined();
		// What the schema asks for is there by its own name, not by chance.
		const required = schema?.safeParse({}).error?.issues.map(({ path }) => path[0]) ?? [];
		expect(required.length).toBeGreaterThan(1);
		expect(Object.keys(json[0] ?? {})).toEqual(expect.arrayContaining(required));
	},
);
