import { recentConnection } from '../../../nodes/MediaGenTrigger/recentCredential';
import { setClock } from '../../../nodes/shared/util/clock';
import { nodeOf } from '../../support/node';

let now = Date.UTC(2026, 0, 1);

beforeAll(() =>
	setClock({ now: () => now, sleep: async () => await Promise.resolve(), toHostMs: (ms) => ms }),
);
afterAll(() => setClock(undefined));

/** A trigger whose credential is stored under `id`, if it has one, and says this address. */
function trigger(id: string | null, baseUrl: string) {
	const node = nodeOf('Trigger', { credentials: { mediaGenApi: { id, name: 'MediaGen API' } } });
	return {
		getNode: () => node,
		getCredentials: async () => await Promise.resolve({ baseUrl, apiKey: 'key' }),
	};
}

const addressOf = async (id: string | null, baseUrl: string) =>
	(await recentConnection(trigger(id, baseUrl)))?.baseUrl;

test('A credential that was changed is gone by two seconds later', async () => {
	expect(await addressOf('1', 'https://old.example.com')).toBe('https://old.example.com');
	now += 1_999;
	expect(await addressOf('1', 'https://new.example.com')).toBe('https://old.example.com');
	now += 1;
	expect(await addressOf('1', 'https://new.example.com')).toBe('https://new.example.com');
});

test('Credentials are not mixed up, be they stored or not', async () => {
	expect(await addressOf('2', 'https://two.example.com')).toBe('https://two.example.com');
	expect(await addressOf('3', 'https://three.example.com')).toBe('https://three.example.com');
	expect(await addressOf(null, 'https://four.example.com')).toBe('https://four.example.com');
	expect(await addressOf(null, 'https://five.example.com')).toBe('https://five.example.com');
});

test('Calls that come at once read the credential once', async () => {
	const call = trigger('7', 'https://seven.example.com');
	const read = jest.spyOn(call, 'getCredentials');
	const connections = await Promise.all(Array.from({ length: 50 }, () => recentConnection(call)));
	expect(new Set(connections.map((connection) => connection?.baseUrl))).toEqual(
		new Set(['https://seven.example.com']),
	);
	expect(read).toHaveBeenCalledTimes(1);
});

test('What cannot be used is refused each time', async () => {
	for (let time = 0; time < 2; time++)
		await expect(addressOf('6', 'nowhere')).rejects.toThrow('cannot be used');
});
