import type { INodeParameters } from 'n8n-workflow';

import { ok, runNode } from '../../support/engine';
import { OPERATIONS, PARENT, RUNNING, runnerOf } from '../../support/operations';
import { fileItem, picture, useSandbox } from '../../support/sandbox';

const service = useSandbox();

const ROWS = 200;
const AT = [17, 80, 199];

const buying = OPERATIONS.flatMap(({ mistakes, ...each }) =>
	mistakes ? [[each.title, each, mistakes] as const] : [],
);

/** Requests other than reads. */
const sent = () => service.sandbox.requests.list().filter(({ method }) => method !== 'GET');

test.each(buying)('%s: 200 rows with three mistakes', async (_, operation, mistakes) => {
	const grids: Record<string, string> = {
		[PARENT]: service.sandbox.originals.grid().id,
		[RUNNING]: service.sandbox.originals.grid({ state: 'running' }).id,
	};
	const { node, resource, family, smallest, beside } = operation;
	const real = (cell: string | number) => (family === 'grid' && grids[cell]) || cell;
	const items = Array.from({ length: ROWS }, (__, row) => ({
		json: Object.fromEntries(
			mistakes.map(([field, right]) => {
				const [wrongField, , wrong] = mistakes[AT.indexOf(row)] ?? [];
				return [field, real(wrong !== undefined && field === wrongField ? wrong : right)];
			}),
		),
	}));
	const read = Object.fromEntries(mistakes.map(([field]) => [field, `={{ $json["${field}"] }}`]));
	const extra = Object.entries(read).filter(([field]) => field.startsWith('additionalFields.'));
	const { json, hints } = await runNode({
		node,
		parameters: {
			...{ resource, operation: operation.operation, options: { checkOnly: true } },
			...{ ...smallest, ...beside, ...read },
			additionalFields: Object.fromEntries(
				extra.map(([field, value]) => [field.replace('additionalFields.', ''), value]),
			),
		},
		items,
		credential: service.credential(),
	}).then(ok);
	const found = json.flatMap(({ problems }, row) =>
		(problems as string[]).map((problem) => `${row}: ${problem}`),
	);
	const expected = AT.map(
		(row, at) => [`${row}: "${mistakes[at]?.[3]}`, ` [row ${row + 1} (item ${row})]`] as const,
	);
	expect(found).toHaveLength(expected.length);
	for (const [at, [beginning, end]] of expected.entries()) {
		expect(found[at]?.slice(0, beginning.length)).toBe(beginning);
		expect(found[at]?.slice(-end.length)).toBe(end);
	}
	expect(json.map(({ request }) => request !== null)).toEqual(
		items.map((__, row) => !AT.includes(row)),
	);
	expect(json[0]).toMatchObject({
		checkOnly: true,
		tasks: ROWS - AT.length,
		balance: { remaining: expect.any(Number) },
	});
	// The key of a request comes out for tasks only.
	const repeated = json[0]?.purchaseKey ? ' 196 with the same request as another,' : '';
	const message = `Check Only bought nothing: 197 of 200 items would buy,${repeated} 3 with problems`;
	expect(hints.map((hint) => [hint.message, hint.type])).toEqual([[message, 'warning']]);
	expect(sent()).toEqual([]);
});

test.each<[string, INodeParameters, string, string]>([
	['one item', {}, 'Check Only bought nothing: 1 of 1 item would buy', 'info'],
	[
		'a limit',
		{ maxTasks: 0 },
		'Check Only bought nothing: 1 of 1 item would buy, the limits let 0 through: "Max Tasks" is 0, and this node has made 0 purchases in this execution',
		'warning',
	],
])('%s: the line above the output', async (_, limits, message, type) => {
	const { hints } = await runnerOf(service)('music.sounds', {
		options: { checkOnly: true, ...limits },
	});
	expect(hints).toEqual([{ message, type, location: 'outputPane' }]);
});

test('a picture of the input is not uploaded, and stands in the request as its fingerprint', async () => {
	const { json } = await runnerOf(service)(
		'image.edit',
		{ imageSource: 'binary', imageBinaryProperty: 'data', options: { checkOnly: true } },
		{ items: [await fileItem(await picture(64, 64), 'pier.png', 'image/png')] },
	);
	expect(json[0]).toMatchObject({
		problems: [],
		request: {
			body: { prompt: 'A pier', image_urls: [expect.stringMatching(/^binary:[0-9a-f]{64}$/)] },
		},
	});
	expect(sent()).toEqual([]);
});
