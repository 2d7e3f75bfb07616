import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { fastClock } from '../support/clocks';
import { useScriptedService } from '../support/scriptedService';
import { buySounds, numberTasks, SOUNDS } from '../support/scriptedTasks';
import { TriggerHost } from '../support/triggerHost';

const service = useScriptedService(() => fastClock(50));

const BASE = 'https://n8n.example.com/webhook/3f6c';
const REFERENCES = ['row-9 & 10/é', 'a=b?c#d+e%20', 'row 7', '{"row": 7}', '行-1'];

beforeEach(() => numberTasks(service));

/** The addresses at which the service reports the task of each row. */
async function addresses(rows: IDataObject[], options: INodeParameters, parameters: INodeParameters = {}): Promise<unknown[]> {
	const given = { parameters: { waitMode: 'none', ...parameters }, options, run: { items: rows.map((json) => ({ json })) } };
	const { error } = await buySounds(service, given);
	expect(error).toBeUndefined();
	return service.sent('POST', SOUNDS).map(({ body }) => (body as IDataObject).webhook);
}

/** A service may append to the text of an address, or to its path. */
const FORMS: Array<[string, (address: string) => string]> = [
	['the text', (address) => `${address}/callback`],
	['the path', (address) => address.replace(/(\?|$)/, '/callback$1')],
];

const perRow = { concurrency: 1, callbackBaseUrl: BASE, reference: '={{ $json.reference }}' };

test.each(FORMS)('the reference of each row arrives at the trigger, where the service appends to %s', async (_, called) => {
	const sent = await addresses(REFERENCES.map((reference) => ({ reference })), perRow);
	const received = [];
	for (const [at, address] of sent.entries()) {
		const url = new URL(called(String(address)));
		const trigger = new TriggerHost({ baseUrl: service.url, apiKey: 'key' }, { verify: false, downloadFiles: false });
		const query = Object.fromEntries(url.searchParams);
		const path = url.pathname.endsWith('/callback') ? 'callback' : '';
		const { output } = await trigger.receive({ id: `task_${at}`, status: 'completed' }, { query, path });
		received.push(output?.json[0]?.reference);
	}
	expect(received).toEqual(REFERENCES);
});

test('the reference is encoded into the address, and the text of the address stays', async () => {
	expect(await addresses([{ reference: 'row-9 & 10/é' }], { ...perRow, callbackBaseUrl: 'https://N8N.example.com/webhook/a b?token=1#top' })).toEqual([
		'https://N8N.example.com/webhook/a b?token=1&reference=row-9%20%26%2010%2F%C3%A9#top',
	]);
});

test.each<[string, IDataObject, INodeParameters, unknown]>([
	['without a reference', {}, { callbackBaseUrl: BASE }, BASE],
	['with an empty reference', { reference: '' }, perRow, BASE],
	['whose address has a reference', { reference: 'row 7' }, { ...perRow, callbackBaseUrl: `${BASE}?reference=mine` }, `${BASE}?reference=mine`],
	['without an address', { reference: 'row 7' }, { reference: 'row 7' }, undefined],
])('a row %s changes nothing', async (_, row, options, address) => {
	expect(await addresses([row], options)).toEqual([address]);
});

test('the address itself is read for each row', async () => {
	const rows = [{ to: `${BASE}?reference=one` }, { to: `${BASE}?reference=two` }, { to: '' }];
	expect(await addresses(rows, { concurrency: 1, callbackBaseUrl: '={{ $json.to }}' })).toEqual([rows[0]?.to, rows[1]?.to, undefined]);
});

test('an address in Additional Body Fields stays as it is', async () => {
	const parameters = { additionalBodyFields: `{"webhook": "${BASE}/other"}` };
	expect(await addresses([{ reference: 'row 7' }], perRow, parameters)).toEqual([`${BASE}/other`]);
});

test.each([
	['n8n', '"Callback Base URL" must be a full http or https URL [item 1]'],
	['http://10.0.0.5/hook', 'The service would not call back: the service cannot reach the private host 10.0.0.5 [item 1]'],
])('the address %s of a row is refused before anything is sent, and Check Only shows it', async (to, message) => {
	const run = {
		items: [{ json: { to: BASE } }, { json: { to } }],
		credential: { ...service.credential(), allowPrivateCallbacks: false },
	};
	const { error } = await buySounds(service, { options: { callbackBaseUrl: '={{ $json.to }}' }, run });
	expect(error?.message).toBe(message);
	expect(service.sent('POST', '*')).toEqual([]);
	const { json } = await buySounds(service, { options: { callbackBaseUrl: '={{ $json.to }}', checkOnly: true }, run });
	expect(json.map(({ problems }) => (problems as string[])[0])).toEqual([undefined, message]);
});
