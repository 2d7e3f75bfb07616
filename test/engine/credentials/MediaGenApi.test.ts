import type { IDataObject, IHttpRequestMethods, INodeType } from 'n8n-workflow';

import { ok, runNode } from '../support/engine';
import { SCRIPTED_KEY, useScriptedService } from '../support/scriptedService';

const service = useScriptedService();
const elsewhere = useScriptedService();

const REDIRECTS = [301, 302, 303, 307, 308];

/** Any node of n8n or of another package, with our credential, that wants redirects to be followed. */
const otherNode: INodeType = {
	description: {
		displayName: 'Other',
		name: 'other',
		group: ['input'],
		version: 1,
		description: 'Sends one request',
		defaults: { name: 'Other' },
		inputs: ['main'],
		outputs: ['main'],
		credentials: [{ name: 'mediaGenApi', required: true }],
		properties: [],
	},
	async execute() {
		const { helper, method, url } = this.getInputData()[0]?.json as {
			helper: 'old' | 'new';
			method: IHttpRequestMethods;
			url: string;
		};
		const response: unknown =
			helper === 'new'
				? await this.helpers.httpRequestWithAuthentication.call(this, 'mediaGenApi', {
						method,
						url,
						returnFullResponse: true,
						ignoreHttpStatusErrors: true,
					})
				: await this.helpers.requestWithAuthentication.call(this, 'mediaGenApi', {
						method,
						uri: url,
						followRedirect: true,
						followAllRedirects: true,
						maxRedirects: 21,
						resolveWithFullResponse: true,
						simple: false,
					});
		const { statusCode } = response as { statusCode: number };
		return [[{ json: { statusCode } }]];
	},
};

const kinds = (['new', 'old'] as const).flatMap((helper) =>
	(['GET', 'POST'] as const).flatMap((method) =>
		REDIRECTS.map((status) => [helper, method, status] as const),
	),
);

describe.each(kinds)("A request by n8n's %s helper: %s, %d", (helper, method, status) => {
	const places: Array<[string, () => string]> = [
		['another port', () => `${elsewhere.url}/taken`],
		['another host name', () => `${elsewhere.url.replace('127.0.0.1', 'localhost')}/taken`],
		['the same address, relative', () => '/taken'],
	];

	test.each(places)('does not follow a redirect to %s', async (_, target) => {
		for (const path of ['/v1/models', '/v1/messages']) {
			service.on(method, path, { status, headers: { location: target() } });
			const json: IDataObject = { helper, method, url: service.url + path };
			const { json: output } = await runNode({
				node: otherNode,
				parameters: {},
				items: [{ json }],
				credential: service.credential(),
			}).then(ok);
			expect(output).toEqual([{ statusCode: status }]);
		}
		expect(
			service.requests.map(({ headers }) => headers.authorization ?? headers['x-api-key']),
		).toEqual([`Bearer ${SCRIPTED_KEY}`, SCRIPTED_KEY]);
		expect(elsewhere.requests).toEqual([]);
	});
});
