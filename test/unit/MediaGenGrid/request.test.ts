import fc from 'fast-check';

import { buttonOptions } from '../../../nodes/MediaGenGrid/buttons';
import { picture, requestBy, wholeGrid } from '../../../nodes/MediaGenGrid/request';
import { readTask } from '../../../nodes/shared/api/records';

const variationRequest = requestBy(picture);
const rerollRequest = requestBy(wholeGrid);

const whole = { task_id: 't', match_by: 'reroll' };

test('a variation is sent with a number or with a button, never with both', () => {
	const choice = fc.record(
		{
			match_by: fc.constantFrom('index', 'button'),
			index: fc.integer(),
			custom_id: fc.constantFrom('b1', 'b2'),
		},
		{ requiredKeys: ['match_by'] },
	);
	fc.assert(
		fc.property(choice, (given) => {
			const read = variationRequest.safeParse({ task_id: 't', ...given });
			const { match_by, index, custom_id } = given;
			if (match_by === 'button') {
				expect(read.data).toEqual(
					custom_id === undefined ? undefined : { task_id: 't', custom_id },
				);
			} else {
				const fits = index !== undefined && index >= 1 && index <= 4;
				expect(read.data).toEqual(fits ? { task_id: 't', index } : undefined);
			}
		}),
	);
});

test('a re-roll has no number, and a button only where one was chosen', () => {
	expect(
		rerollRequest.parse({ task_id: 't', match_by: 'reroll', index: 2, custom_id: 'b' }),
	).toEqual({ task_id: 't' });
	expect(rerollRequest.parse({ task_id: 't', match_by: 'button', custom_id: 'b' })).toEqual({
		task_id: 't',
		custom_id: 'b',
	});
	expect(rerollRequest.safeParse({ task_id: 't', match_by: 'button' }).success).toBe(false);
});

test('metadata is any JSON object, kept to the letter, and nothing else', () => {
	fc.assert(
		fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (metadata) => {
			const json = JSON.stringify(metadata);
			expect(rerollRequest.parse({ ...whole, metadata: json }).metadata).toEqual(JSON.parse(json));
		}),
		{ examples: [[{ campaign: 'spring' }], [Object.fromEntries([['__proto__', []]])]] },
	);
	for (const metadata of ['[1]', '"text"', '7', 'null', '{"a":', '']) {
		expect(rerollRequest.safeParse({ ...whole, metadata }).error?.issues[0]?.message).toContain(
			'must be a JSON object',
		);
	}
});

test('the buttons of a task, by whatever names its record gives them', () => {
	const buttons = [
		{ custom_id: 'vary::1', label: 'V1' },
		{ customId: 'reroll::0', emoji: '🔄', label: '' },
		{ id: 'up::2', name: 'Upscale 2' },
		{ label: 'Nothing to send' },
		{ custom_id: 'plain' },
	];
	const listed = [
		{ name: 'V1', value: 'vary::1', description: 'vary::1' },
		{ name: '🔄', value: 'reroll::0', description: 'reroll::0' },
		{ name: 'Upscale 2', value: 'up::2', description: 'up::2' },
		{ name: 'plain', value: 'plain', description: 'plain' },
	];
	const optionsOf = (answer: unknown) => {
		const record = readTask(answer);
		return record && buttonOptions(record);
	};
	expect(optionsOf({ id: 't', status: 'SUCCESS', buttons })).toEqual(listed);
	expect(optionsOf({ code: 200, data: { id: 't', status: 'SUCCESS', buttons } })).toEqual(listed);
	const alone = { id: 't', status: 'SUCCESS', buttons: ['plain', 4, ''] };
	expect(optionsOf(alone)).toEqual([{ name: 'plain', value: 'plain', description: 'plain' }]);
	expect(optionsOf({ id: 't', status: 'SUCCESS' })).toEqual([]);
	expect(optionsOf({ id: 't', status: 'SUCCESS', buttons: 'none' })).toEqual([]);
});
