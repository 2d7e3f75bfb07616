import { readBalance, remainingOf } from '../../../../nodes/shared/api/balance';

describe('A balance', () => {
	const inNumbers = { remain_balance: 1.5, remain_credits: 1_500 };
	const creditsAlone = { remain_credits: 7, remain_balance: null };
	const limited = { unlimited_quota: false };
	const unlimited = { unlimited_quota: true, remain_balance: null };
	const UNREAD = 'The balance could not be read';

	test.each<[string, object, object]>([
		['numbers as text', { remain_balance: '1.5', remain_credits: '1500' }, inNumbers],
		['in data', { code: 200, data: { success: true, remain_credits: 7 } }, creditsAlone],
		['without a limit, as true', { unlimited_quota: true }, { unlimited_quota: true }],
		['without a limit, as 1', { unlimited_quota: 1 }, { unlimited_quota: true }],
		['with a limit, in words', { unlimited_quota: 'false', remain_balance: 1 }, limited],
		['with a limit, as 0', { unlimited_quota: 0, remain_credits: 1 }, limited],
		['without a limit, as text', { success: true, unlimited_quota: 'true' }, unlimited],
		['nulls', { remain_balance: 0, used_balance: null }, { remain_balance: 0, used_balance: null }],
	])('%s', (_, answer, expected) => {
		expect(readBalance(answer)).toMatchObject(expected);
	});

	test.each<[object, number | null, number | null]>([
		[inNumbers, 1.5, 1_500],
		[{ remain_credits: 1_500 }, null, 1_500],
		[{ ...inNumbers, unlimited_quota: true }, null, null],
	])('what remains of %j, in each unit', (answer, inBalance, inCredits) => {
		const read = readBalance(answer);
		if (!read) throw new Error('The balance was not read');
		expect(remainingOf(read, 'balance')).toBe(inBalance);
		expect(remainingOf(read, 'credits')).toBe(inCredits);
	});

	test('one that the service refuses has its message', () => {
		const read = (message: unknown) => () => readBalance({ success: false, message });
		expect(read('Deleted key')).toThrow(`${UNREAD}: Deleted key`);
		expect(read(null)).toThrow(`${UNREAD}: no reason given`);
	});

	test('one that the service refuses in words states no amount', () => {
		const answer = { success: 'false', message: 'Deleted key', remain_balance: 100 };
		expect(() => readBalance(answer)).toThrow(`${UNREAD}: Deleted key`);
	});

	test.each([undefined, null, {}, { success: true }, 'text', []])('%j is none', (answer) => {
		expect(readBalance(answer)).toBeUndefined();
	});
});
