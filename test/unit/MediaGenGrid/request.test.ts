import fc from 'fast-check';

import { buttonOptions } from '../../../nodes/MediaGenGrid/buttons';
import { requestBy, wholeGrid } from '../../../nodes/MediaGenGrid/request';
import { readTask } from '../../../nodes/shared/api/records';

const rerollRequest = requestBy(wholeGrid);

const whole = { task_id: 't', match_by: 'reroll' };

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
