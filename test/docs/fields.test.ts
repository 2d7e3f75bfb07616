import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type {
	ICredentialType,
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
	INodeType,
} from 'n8n-workflow';

import { MediaGenApi } from '../../credentials/MediaGenApi.credentials';
import { isObject } from '../../nodes/shared/util/json';
import { ALL_NODES } from '../support/allNodes';

const checkout = join(__dirname, '..', '..');

const page = (name: string) => readFileSync(join(checkout, 'docs', name), 'utf8');

/** What all operations that buy a task have in common. */
const SHARED = ['waiting.md', 'custom-requests.md', 'buy-once.md'];

/** The nodes whose operations do. */
const BUYING_TASKS = ['grid', 'image', 'music', 'video'];

/** Each page, what it documents, and the pages that it leaves what is common to. */
const documented: Array<[string, INodeType | ICredentialType, string[]]> = [
	['credential.md', new MediaGenApi(), []],
	...Object.entries(ALL_NODES).map(([name, type]): [string, INodeType, string[]] => [
		`${name}.md`,
		type,
		BUYING_TASKS.includes(name) ? SHARED : [],
	]),
];

type Field = INodeProperties | INodePropertyCollection | INodePropertyOptions;

const propertiesOf = (type: INodeType | ICredentialType) =>
	'description' in type ? type.description.properties : type.properties;

/** The parameters of a panel at every depth, and the values of its lists of operations. */
function namesOf(fields: readonly Field[]): string[] {
	return fields.flatMap((field) => {
		if ('values' in field) return namesOf(field.values);
		if (
			!('type' in field) ||
			field.type === 'notice' ||
			field.type === 'hidden' ||
			field.name === 'resource'
		)
			return [];
		const inside = field.options ?? [];
		if (field.name === 'operation')
			return inside.flatMap((option) => ('value' in option ? [String(option.value)] : []));
		return field.type === 'collection' || field.type === 'fixedCollection'
			? namesOf(inside)
			: [field.name];
	});
}

test.each(documented)('%s names every operation and every parameter', (name, type, others) => {
	const text = [name, ...others].map(page).join('\n');
	const missing = namesOf(propertiesOf(type)).filter(
		(parameter) => !text.includes(`\`${parameter}\``),
	);
	expect([...new Set(missing)]).toEqual([]);
});

/** The fields of a panel at every depth. */
function fieldsIn(fields: readonly Field[]): INodeProperties[] {
	return fields.flatMap((field) => {
		if ('values' in field) return fieldsIn(field.values);
		if (!('type' in field)) return [];
		return [field, ...fieldsIn(field.options ?? [])];
	});
}

/** `` `name`), default 5 ``, also with the operation between the two; a default in words is not read. */
const DEFAULT =
	/`(\w+)`\)(?:, [A-Z]\w+)?, default (?:`([^`]+)`|(on|off|\d[\d,]*)(?=[:,.]?(?:\s|$)))/gm;

const shownDefault = (value: unknown) =>
	typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value);

/** Nodes that the common pages are about. */
const BUYING = documented.filter(([, , others]) => others.length > 0);

test.each([
	...documented,
	...SHARED.flatMap((page) => BUYING.map(([, type]): (typeof documented)[0] => [page, type, []])),
])('%s states the defaults of the panel', (name, type) => {
	const fields = fieldsIn(propertiesOf(type));
	const wrong = [...page(name).matchAll(DEFAULT)].filter(([, field, text, word]) => {
		const defaults = fields
			.filter((each) => each.name === field)
			// A number that is not set shows in its placeholder what the service takes.
			.flatMap((each): unknown[] => [each.default, each.placeholder])
			.map((value) => (isObject(value) ? value.value : value));
		const stated = text ?? word?.replace(',', '') ?? '';
		return defaults.length > 0 && !defaults.map(shownDefault).includes(stated);
	});
	expect(wrong.map(([line]) => line)).toEqual([]);
});

test('every node has a page', () => {
	const named = documented.flatMap(([, type]) =>
		'description' in type ? [type.constructor.name] : [],
	);
	const there = readdirSync(join(checkout, 'nodes')).filter((folder) =>
		folder.startsWith('MediaGen'),
	);
	expect(named.sort()).toEqual(there.sort());
});

/** The messages in the files of a folder, with `…` for what varies, up to the end of their first sentence. */
function messagesIn(folder: string, pattern: RegExp): string[] {
	const path = join(checkout, 'nodes', folder);
	const sources = readdirSync(path).filter((name) => name.endsWith('.ts'));
	const text = sources.map((name) => readFileSync(join(path, name), 'utf8')).join('\n');
	return [...text.matchAll(pattern)].map(([, message = '']) =>
		message
			.replace(/\$\{[^}]*\}/g, '…')
			.replace(/: …$/, ': ')
			.replace(/\. .*$/, '.'),
	);
}

test.each([
	['shared/api', /(?:\[\w+Error, |NOT_REACHED = |\w+Error\(|super\()['`]([A-Z][^'`]+)['`]/g],
	[
		'shared/api',
		/['`]((?:The MediaGen|"Base URL" must|"API Key" must|"Brand Words" must[^$]*)[^'`$]*)/g,
	],
	['shared/tasks', /\) return ["'`]((?:it|the service) [^"`]+?)["'`];/g],
	['shared/n8n', /`(The \$\{buys\}[^`]+)`/g],
	['shared/output', /(?:blocked|\w+Error)\(['`]([^'`]+)['`]\)/g],
	['shared/purchase', /[(\t]['`](?:The request was not sent: )?((?:The|the) [^'`]+)['`]/g],
	['shared/purchase', /`("Max Tasks"[^`]+)`/g],
	['shared/tasks', /`(The (?:service|pause|callback)[^`]+)`/g],
	['shared/tasks', /[`(]'?((?:Task \$|The execution was|A tool )[^'`]+)['`]/g],
	['shared/tasks', /(?:\?\? '|warn\(`)([^'`]*[a-z]{3}[^'`]*)['`]/g],
])('the troubleshooting page has the messages in %s: %s', (folder, pattern) => {
	const messages = messagesIn(folder, pattern);
	expect(messages.length).toBeGreaterThan(0);
	const text = page('troubleshooting.md').replace(
		/the (task|answer)\b/gi,
		(words, bought: string) => words.replace(bought, '…'),
	);
	const told = page('troubleshooting.md') + text;
	expect(messages.filter((message) => !told.includes(message))).toEqual([]);
});
