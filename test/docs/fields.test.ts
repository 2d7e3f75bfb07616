import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ICredentialType, INodeProperties, INodePropertyCollection, INodePropertyOptions, INodeType } from 'n8n-workflow';

import { MediaGenApi } from '../../credentials/MediaGenApi.credentials';
import { MediaGenBalance } from '../../nodes/MediaGenBalance/MediaGenBalance.node';
import { MediaGenChatCache } from '../../nodes/MediaGenChatCache/MediaGenChatCache.node';
import { MediaGenGrid } from '../../nodes/MediaGenGrid/MediaGenGrid.node';
import { MediaGenImage } from '../../nodes/MediaGenImage/MediaGenImage.node';
import { MediaGenMusic } from '../../nodes/MediaGenMusic/MediaGenMusic.node';
import { MediaGenTrigger } from '../../nodes/MediaGenTrigger/MediaGenTrigger.node';
import { MediaGenUpload } from '../../nodes/MediaGenUpload/MediaGenUpload.node';
import { MediaGenVideo } from '../../nodes/MediaGenVideo/MediaGenVideo.node';

const checkout = join(__dirname, '..', '..');

const page = (name: string) => readFileSync(join(checkout, 'docs', name), 'utf8');

/** Each page, what it documents, and the pages that it leaves the wait and its options to. */
const documented: Array<[string, INodeType | ICredentialType, string[]]> = [
	['balance.md', new MediaGenBalance(), []],
	['chat-cache.md', new MediaGenChatCache(), []],
	['credential.md', new MediaGenApi(), []],
	['grid.md', new MediaGenGrid(), ['waiting.md']],
	['image.md', new MediaGenImage(), ['waiting.md']],
	['music.md', new MediaGenMusic(), ['waiting.md']],
	['trigger.md', new MediaGenTrigger(), []],
	['upload.md', new MediaGenUpload(), []],
	['video.md', new MediaGenVideo(), ['waiting.md']],
];

type Field = INodeProperties | INodePropertyCollection | INodePropertyOptions;

const propertiesOf = (type: INodeType | ICredentialType) =>
	'description' in type ? type.description.properties : type.properties;

/** The parameters of a panel at every depth, and the values of its lists of operations. */
function namesOf(fields: readonly Field[]): string[] {
	return fields.flatMap((field) => {
		if ('values' in field) return namesOf(field.values);
		if (!('type' in field) || field.type === 'notice' || field.type === 'hidden' || field.name === 'resource') return [];
		const inside = field.options ?? [];
		if (field.name === 'operation') return inside.flatMap((option) => ('value' in option ? [String(option.value)] : []));
		return field.type === 'collection' || field.type === 'fixedCollection' ? namesOf(inside) : [field.name];
	});
}

test.each(documented)('%s names every operation and every parameter', (name, type, others) => {
	const text = [name, ...others].map(page).join('\n');
	const missing = namesOf(propertiesOf(type)).filter((parameter) => !text.includes(`\`${parameter}\``));
	expect([...new Set(missing)]).toEqual([]);
});

test('every node has a page', () => {
	const named = documented.flatMap(([, type]) => ('description' in type ? [type.constructor.name] : []));
	const there = readdirSync(join(checkout, 'nodes')).filter((folder) => folder.startsWith('MediaGen'));
	expect(named.sort()).toEqual(there.sort());
});

/** The fixed beginnings of the messages that a source file holds. */
function messagesIn(source: string, pattern: RegExp): string[] {
	const text = readFileSync(join(checkout, 'nodes/shared', source), 'utf8');
	return [...text.matchAll(pattern)].flatMap(([, message]) => (message === undefined ? [] : [message]));
}

test.each([
	['transport/classify.ts', /^\t\w+: '((?:The|A) [^']+)'/gm],
	['transport/connection.ts', /'((?:The MediaGen|"Base URL" must)[^']*)'/g],
	['tasks/callbackAddress.ts', /'(A tool [^']+)'/g],
	['transport/address.ts', /return ["'](it [^"]+)["'];/g],
])('the troubleshooting page has the messages of %s', (source, pattern) => {
	const messages = messagesIn(source, pattern);
	expect(messages.length).toBeGreaterThan(0);
	// What stands for a fault of its own in the tables only: "The request was not sent" is told with its reason.
	const missing = messages.filter((message) => !page('troubleshooting.md').includes(message));
	expect(missing.filter((message) => message !== 'The request was not sent')).toEqual([]);
});
