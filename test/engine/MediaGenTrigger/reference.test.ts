import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { fastClock } from '../support/clocks';
import { SCRIPTED_KEY, useScriptedService } from '../support/scriptedService';
import { buySounds, numberTasks, SOUNDS } from '../support/scriptedTasks';
import { TriggerHost } from '../support/triggerHost';

const service = useScriptedService(() => fastClock(50));

const BASE = 'https://n8n.example.com/webhook/3f6c';
const REFERENCES = ['row-9 & 10/é', 'a=b?c#d+e%20', 'row 7', '{"row": 7}', '行-1'];

beforeEach(() => numberTasks(service));

/** The addresses at which the service reports the task of each row. */
async function addresses(
	rows: IDataObject[],
	options: INodeParameters,
	parameters: INodeParameters = {},
): Promise<unknown[]> {
	const items = rows.map((json) => ({ json }));
	const given = { waitMode: 'none', ...parameters };
	const { error } = await buySounds(service, 1, options, { given, items });
	expect(error).toBeUndefined();
	return service.sent('POST', SOUNDS).map(({ body }) => (body as IDataObject).webhook);
}

/** A service may append to the text of an address, or to its path. */
const FORMS: Array<[string, (address: string) => string]> = [
	['the text', (address) => `${address}/callback`],
	['the path', (address) => address.replace(/(\?|$)/, '/callback$1')],
];

const perRow = { concurrency: 1, callbackBaseUrl: BASE, reference: '={{ $json.reference }}' };

/** A trigger with the node's credential, or another. */
const trigger = (options: INodeParameters = {}, apiKey = SCRIPTED_KEY) =>
	new TriggerHost(
		{ baseUrl: service.url, apiKey },
		{ verify: false, downloadFiles: false, options },
	);

/** The service calls an address. */
async function call(host: TriggerHost, address: string, id = 'task_1') {
	const url = new URL(address);
	const path = url.pathname.endsWith('/callback') ? 'callback' : '';
	return await host.receive(
		{ id, status: 'completed' },
		{ query: Object.fromEntries(url.searchParams), path },
	);
}

/** The address at which a trigger hears of the task of a row with this reference. */
async function signedFor(
	host: TriggerHost,
	reference = 'row 7',
	callbackBaseUrl = host.address,
): Promise<string> {
	const [address] = await addresses([{ reference }], { ...perRow, callbackBaseUrl });
	return String(address);
}

/** The reference that arrives with a call of each address, and whether it is verified. */
async function arriving(host: TriggerHost, called: string[]): Promise<unknown[]> {
	const received = [];
	for (const [at, address] of called.entries()) {
		const { output } = await call(host, address, `task_${at}`);
		received.push([output?.json[0]?.reference, output?.json[0]?.referenceVerified]);
	}
	return received;
}

test('a reference that makes the address too long for a proxy is refused before anything is sent', async () => {
	const items = [{ json: { reference: '行'.repeat(500) } }];
	const { error } = await buySounds(service, 1, perRow, { given: { waitMode: 'none' }, items });
	expect(error?.message).toContain('"Reference" makes a callback address of 4');
	expect(service.sent('POST', SOUNDS)).toEqual([]);
});

describe.each(FORMS)('Where the service appends to %s', (_, called) => {
	test('the reference of each row arrives at the trigger, and is known to come from a node with its key', async () => {
		const host = trigger();
		const sent = await addresses(
			REFERENCES.map((reference) => ({ reference })),
			{ ...perRow, callbackBaseUrl: host.address },
		);
		const received = await arriving(
			host,
			sent.map((address) => called(String(address))),
		);
		expect(received).toEqual(REFERENCES.map((reference) => [reference, true]));
	});

	test('a reference without a signature, or with another one, arrives as not verified', async () => {
		const host = trigger();
		const signed = await signedFor(host);
		const forged = [
			signed.replace(/&signature=.*/, ''),
			signed.replace('row%207', 'row%208'),
			`${signed}x`,
		];
		expect(await arriving(host, forged.map(called))).toEqual([
			['row 7', false],
			['row 8', false],
			['row 7', false],
		]);
	});

	test('"Only Signed Addresses" takes a signed call, and refuses all others without a request to the service', async () => {
		const host = trigger({ onlySigned: true });
		const signed = await signedFor(host);
		const asked = service.requests.length;
		expect(await call(host, called(host.address))).toMatchObject({
			status: 401,
			message: 'the address has no signature',
		});
		expect(await call(host, called(`${host.address}?reference=row%207`))).toMatchObject({
			status: 401,
		});
		expect(await call(host, called(signed.replace('row%207', 'row%208')))).toMatchObject({
			status: 503,
		});
		expect(host.log.at(-1)).toContain('must have credentials with the same API key');
		expect(service.requests).toHaveLength(asked);
		expect(await call(host, called(signed))).toMatchObject({
			status: 200,
			output: { json: [{ taskId: 'task_1' }] },
		});
	});

	test('an address that was made for another trigger, or with another key, is not signed for this one', async () => {
		const [host, other] = [
			trigger({ onlySigned: true }),
			trigger({ onlySigned: true }, 'another-key'),
		];
		const signed = await signedFor(host);
		expect(await call(other, called(signed))).toMatchObject({ status: 503 });
		expect(await call(trigger({ onlySigned: true }), called(signed))).toMatchObject({
			status: 503,
		});
	});
});

test.each([
	['row/callback/7', 'row/callback/7'],
	['row 7/callback', 'row 7'],
	['/callback', undefined],
	['', undefined],
])('the reference "%s" of an unsigned address arrives as %p', async (given, reference) => {
	const host = trigger();
	const { output } = await call(host, `${host.address}?reference=${given}`);
	expect(output?.json).toMatchObject([{ taskId: 'task_1' }]);
	expect(output?.json[0]?.reference).toBe(reference);
});

test('an address that ends in a slash is signed like the one without', async () => {
	const host = trigger({ onlySigned: true });
	const signed = await signedFor(host, 'row 7', `${host.address}/`);
	expect(await arriving(host, [signed])).toEqual([['row 7', true]]);
});

test('a row with an empty reference has a signature too', async () => {
	const host = trigger({ onlySigned: true });
	const { output } = await call(host, await signedFor(host, ''));
	expect(output?.json).toMatchObject([{ taskId: 'task_1' }]);
	expect(output?.json[0]).not.toHaveProperty('reference');
});

test.each(['signature=mine', 'reference=mine'])(
	'a reference that an address with %s of its own does not take is named in a note',
	async (own) => {
		const options = { ...perRow, callbackBaseUrl: `${BASE}?${own}` };
		const items = [{ json: { reference: 'row 7' } }];
		const { json } = await buySounds(service, 1, options, { given: { waitMode: 'none' }, items });
		expect(json[0]?.notes).toEqual([expect.stringContaining('"Reference" is not in the callback')]);
	},
);

test('an empty signature is none', async () => {
	const host = trigger({ onlySigned: true });
	expect(await call(host, `${host.address}?reference=row%207&signature=`)).toMatchObject({
		status: 401,
		message: 'the address has no signature',
	});
});

test('a record cannot claim that its reference is verified', async () => {
	const host = trigger();
	const { output } = await host.receive({
		id: 'task_1',
		status: 'completed',
		reference: 'mine',
		reference_verified: true,
	});
	expect(output?.json[0]).not.toHaveProperty('referenceVerified');
	expect(output?.json[0]).not.toHaveProperty('reference');
});

test('the reference is encoded into the address, the text of the address stays, and the signature is the last parameter', async () => {
	const [address] = await addresses([{ reference: 'row-9 & 10/é' }], {
		...perRow,
		callbackBaseUrl: 'https://N8N.example.com/webhook/a b?token=1#top',
	});
	expect(address).toMatch(
		/^https:\/\/N8N\.example\.com\/webhook\/a b\?token=1&reference=row-9%20%26%2010%2F%C3%A9&signature=[\w-]{43}#top$/,
	);
	expect(address).not.toContain(SCRIPTED_KEY);
});

const row7 = { reference: 'row 7' };
const [ownReference, ownSignature] = [`${BASE}?reference=mine`, `${BASE}?signature=mine`];
const to = (callbackBaseUrl: string) => ({ ...perRow, callbackBaseUrl });

test.each<[string, IDataObject, INodeParameters, unknown]>([
	['without a reference', {}, { callbackBaseUrl: BASE }, BASE],
	['whose address has a reference', row7, to(ownReference), ownReference],
	// As that of a paused execution has.
	['whose address has a signature', row7, to(ownSignature), ownSignature],
	['without an address', row7, row7, undefined],
])('a row %s changes nothing', async (_, row, options, address) => {
	expect(await addresses([row], options)).toEqual([address]);
});

test('the address itself is read for each row', async () => {
	const rows = [{ to: `${BASE}?reference=one` }, { to: `${BASE}?reference=two` }, { to: '' }];
	expect(await addresses(rows, { concurrency: 1, callbackBaseUrl: '={{ $json.to }}' })).toEqual([
		rows[0]?.to,
		rows[1]?.to,
		undefined,
	]);
});

test('an address in Additional Body Fields stays as it is', async () => {
	const options = { ...perRow, additionalBodyFields: `{"webhook": "${BASE}/other"}` };
	expect(await addresses([{ reference: 'row 7' }], options)).toEqual([`${BASE}/other`]);
});

test.each([
	['n8n', '"Callback Base URL" must be a full http or https URL [row 2 (item 1)]'],
	[
		'http://10.0.0.5/hook',
		'The service would not call back: the service cannot reach the private host 10.0.0.5 [row 2 (item 1)]',
	],
])('the address %s of a row is refused at once, and Check Only shows it', async (to, message) => {
	const run = {
		items: [{ json: { to: BASE } }, { json: { to } }],
		credential: { ...service.credential(), allowPrivateCallbacks: false },
	};
	const { error } = await buySounds(service, 1, { callbackBaseUrl: '={{ $json.to }}' }, run);
	expect(error?.message).toBe(message);
	expect(service.sent('POST', '*')).toEqual([]);
	const options = { callbackBaseUrl: '={{ $json.to }}', checkOnly: true };
	const { json } = await buySounds(service, 1, options, run);
	expect(json.map(({ problems }) => (problems as string[])[0])).toEqual([undefined, message]);
});
