import { z } from 'zod/v3';

import { describeOnHosts } from './support/hosts';
import { McpClient } from './support/mcpClient';

const BUYS = 'Each input item buys one paid task';
const COSTS = 'Every call costs money';

const settings = z.object({ apiKey: z.string() });

const found = z.object({ structuredContent: z.object({ results: z.string() }) });

describeOnHosts('A language model that builds workflows', (host, version) => {
	test('reads of each tool what a call costs', async () => {
		const types = await host().nodeTypes('n8n-nodes-mediagen.');
		const texts = new Map(types.map(({ name, description }) => [name.split('.')[1], description]));
		const paid = ['Image', 'Music', 'Grid', 'Video', 'ChatCache'].map((node) =>
			texts.get(`mediaGen${node}Tool`),
		);
		for (const text of paid) expect(text).toContain(COSTS);
		expect(texts.get('mediaGenBalanceTool')).toContain('Costs nothing');
		expect(texts.get('mediaGenImage')).not.toContain(COSTS);
	});

	// n8n 1.123 has no such server, and ignores the hints.
	if (version === '1.123') return;

	test('is told by n8n how each node that it finds is meant to be used', async () => {
		const { api } = host();
		const data = { mcpAccessEnabled: true };
		await api.call(z.unknown(), { method: 'PATCH', url: '/rest/mcp/settings', data });
		await api.call(settings, { url: '/rest/mcp/api-key' });
		// Only a new key is shown in full.
		const rotate = { method: 'POST', url: '/rest/mcp/api-key/rotate', data: {} };
		const { apiKey } = await api.call(settings, rotate);
		const server = new McpClient(`${host().url}/mcp-server/http`, apiKey);
		const search = { name: 'search_nodes', arguments: { queries: ['mediagen image'] } };
		const { results } = found.parse(await server.call('tools/call', search)).structuredContent;
		expect(results).toContain('n8n-nodes-mediagen.mediaGenImage');
		expect(results).toContain(BUYS);
	});
});
