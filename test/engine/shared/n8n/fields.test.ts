import { type INodeProperties, type INodeType, NodeHelpers } from 'n8n-workflow';

import { MediaGenBalance } from '../../../../nodes/MediaGenBalance/MediaGenBalance.node';
import { MediaGenUpload } from '../../../../nodes/MediaGenUpload/MediaGenUpload.node';
import { ALL_NODES } from '../../../support/allNodes';
import { fieldsOf, labelsShown } from '../../support/fieldTable';
import { operationOf, OPERATIONS } from '../../support/operations';

const CHAT = [
	...['model', 'prompt', 'maxTokens', 'earlierTurns.turn.role', 'earlierTurns.turn.text'],
	...['cachedBlocks.block.text', 'cachedBlocks.block.ttl', 'cachedBlocks.block.place'],
];
const REQUEST = ['customRequestNotice', 'path', 'bodyType', 'body', 'binaryProperty', 'fileField'];
const BODY_FIELDS = ['bodyFields.field.name', 'bodyFields.field.value'];
const chat = (operation: string) => operationOf(`chat.${operation}`).node;

/** Operations whose fields are not one field of the request each: tests of their own set every field that stands here. */
const FIELDS: Array<[operation: string, node: INodeType, fields: string[]]> = [
	['message', chat('message'), CHAT],
	['completion', chat('completion'), CHAT],
	['upload', new MediaGenUpload(), ['source', 'binaryPropertyName', 'url']],
	['get', new MediaGenBalance(), ['simplify']],
	['check', new MediaGenBalance(), ['compare', 'threshold', 'onlyOnChange', 'staticDataNotice']],
	['report', new MediaGenBalance(), ['staticDataNotice']],
	...['music', 'image', 'grid', 'video'].flatMap((family): typeof FIELDS => {
		const { node } = operationOf(`${family}.task.get`);
		return [
			['get', node, ['taskId']],
			['wait', node, ['taskId']],
			['submit', node, [...REQUEST, ...BODY_FIELDS]],
		];
	}),
];

test.each(
	FIELDS.map(
		([operation, node, fields]) => [node.description.name, operation, node, fields] as const,
	),
)('%s, %s: every field of the panel has a test', (_, operation, node, fields) => {
	expect(fieldsOf(node, operation).sort()).toEqual([...fields].sort());
});

const AFTER_CONTENT = [
	'Wait for Result',
	'Output',
	'Download Files',
	'Additional Fields',
	'Options',
];

test.each(
	OPERATIONS.filter(({ path }) => path !== undefined).map(
		(operation) => [operation.title, operation] as const,
	),
)(
	'%s: what is made comes first, then how to wait for it, then the collections',
	(_, { node, ...given }) => {
		const { resource, operation, smallest } = given;
		const labels = labelsShown(node, { resource, operation, ...smallest });
		const known = AFTER_CONTENT.filter((label) => labels.includes(label));
		expect(labels.slice(-known.length)).toEqual(known);
		expect(known).toContain('Options');
	},
);

test('Music opens with a cover of the incoming song', () => {
	const { properties } = operationOf('music.coverSong').node.description;
	expect(properties.filter(({ name }) => name === 'operation')[0]?.default).toBe('coverSong');
});

test('an option that is off until somebody adds it begins on', () => {
	const begins = Object.values(ALL_NODES)
		.flatMap((node: INodeType) => node.description.properties)
		.flatMap(({ options = [] }) => options)
		.filter(({ name }) => ['checkOnly', 'includeInput', 'onlySigned'].includes(name))
		.map((option) => `${option.name}: ${'default' in option && String(option.default)}`);
	expect([...new Set(begins)].sort()).toEqual([
		'checkOnly: true',
		'includeInput: true',
		'onlySigned: true',
	]);
});

test.each([
	['poll', [600]],
	['callback', [86_400]],
	['none', []],
])(
	'with "Wait for Result" at "%s", the option Timeout begins with the default: %j',
	(waitMode, begins) => {
		const { description } = operationOf('image.generate').node;
		const ofNode = { resource: 'image', operation: 'generate', waitMode };
		const isShownIn = (values: object) => (field: INodeProperties) =>
			NodeHelpers.displayParameter({ ...values }, field, { typeVersion: 1 }, description, ofNode);
		const options = description.properties
			.filter(({ name }) => name === 'options')
			.filter(isShownIn(ofNode))
			.flatMap((field) => (field.options ?? []) as INodeProperties[]);
		const shown = options.filter(({ name }) => name === 'timeout').filter(isShownIn({}));
		expect(shown.map((field) => field.default)).toEqual(begins);
	},
);
