import { z } from 'zod/v3';

import { describeOnHosts } from './support/hosts';

const BUYS = 'Each input item buys one paid task';
const COSTS = 'Every call costs money';

const settings = z.object({ apiKey: z.string() });

/** The MCP server of n8n answers in one event. */
const found = z.object({
	result: z.object({ structuredContent: z.object({ results: z.string() }) }),
});

describeOnHosts('A language model that builds workflows', (host, version) => {
	const descriptions = async () =>
		new Map(
			(await host().nodeTypes('n8n-nodes-mediagen.')).map((type) => [
				type.name.split('.')[1],
				type.description,
			]),
		);

	test('reads of each tool what a call costs', async () => {
		const texts = await descriptions();
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
		await api.call(z.unknown(), {
			method: 'PATCH',
			url: '/rest/mcp/settings',
			data: { mcpAccessEnabled: true },
		});
		await api.call(settings, { url: '/rest/mcp/api-key' });
		// Only a new key is shown in full.
		const { apiKey } = await api.call(settings, {
			method: 'POST',
			url: '/rest/mcp/api-key/rotate',
			data: {},
		});
		const { data } = await api.raw.request<string>({
			method: 'POST',
			url: '/mcp-server/http',
			headers: { Authorization: `Bearer ${apiKey}`, Accept: 'application/json, text/event-stream' },
			data: {
				jsonrpc: '2.0',
				id: 1,
				method: 'tools/call',
				params: { name: 'search_nodes', arguments: { queries: ['mediagen image'] } },
			},
		});
		const event: unknown = JSON.parse(data.slice(data.indexOf('{')));
		const { results } = found.parse(event).result.structuredContent;
		expect(results).toContain('n8n-nodes-mediagen.mediaGenImage');
		expect(results).toContain(BUYS);
	});
});
