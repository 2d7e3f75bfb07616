import type { NodeApiError } from 'n8n-workflow';

import { MediaGenChatCache } from '../../../nodes/MediaGenChatCache/MediaGenChatCache.node';
import { chatNode, useChatSandbox } from '../support/chat';
import { loadOptionsContext } from '../support/loadOptions';
import { type Reply, useScriptedService } from '../support/scriptedService';

const service = useChatSandbox();
const scripted = useScriptedService();

const node = new MediaGenChatCache();

async function listed(filter?: string, credential = service.credential()): Promise<unknown[]> {
	const context = loadOptionsContext(
		node,
		{ resource: 'chat', operation: 'message' },
		credential,
		'parameters.model',
	);
	return (await node.methods.listSearch.searchChatModels.call(context, filter)).results.map(
		({ value }) => value,
	);
}

test('the models that the service lists can be chosen, and searched', async () => {
	expect(await listed()).toEqual(['vendor-chat-1', 'vendor-chat-1-mini']);
	expect(await listed('MINI')).toEqual(['vendor-chat-1-mini']);
});

test.each([
	['in an envelope', { code: 200, data: { data: [{ id: 'one' }, { id: null }] } }],
	['as names', ['one']],
])('a list of another form is a list: %s', async (_, json) => {
	scripted.on('GET', '/v1/models', { json });
	expect(await listed(undefined, scripted.credential())).toEqual(['one']);
});

test.each<[Reply, string]>([
	[{ status: 404 }, 'This service lists no models'],
	[{ json: { data: [{ name: 'one' }] } }, 'The response could not be read'],
])('where the service has no list, the user reads how to go on: %j', async (reply, words) => {
	scripted.on('GET', '/v1/models', reply);
	const failed = (await listed(undefined, scripted.credential()).catch(
		(error: unknown) => error,
	)) as NodeApiError;
	expect(failed.message).toContain(words);
	expect(failed.description).toContain('Choose By ID');
});

test.each([
	[
		'from the list',
		{ __rl: true, mode: 'list', value: 'vendor-chat-1', cachedResultName: 'vendor-chat-1' },
	],
	['by its ID', { __rl: true, mode: 'id', value: 'vendor-chat-1' }],
	['as plain text, from an expression or an older workflow', 'vendor-chat-1'],
])('a model %s is sent', async (_, model) => {
	const { error } = await chatNode('message', service.credential).run({ parameters: { model } });
	expect(error).toBeUndefined();
	expect(service.requests()[0]?.body).toMatchObject({ model: 'vendor-chat-1' });
});
