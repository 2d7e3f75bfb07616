import { createHash } from 'node:crypto';
import type { GridOperationName } from './request';

/** The three operations of the spec, and those whose endpoints it does not show. */
export type GridAction = 'VARIATION' | 'LOW_VARIATION' | 'REROLL' | 'IMAGINE' | 'UPSCALE' | 'PAN';

/** A follow-up operation that a task offers. The names of its fields are the sandbox's own. */
export interface GridButton {
	custom_id: string;
	label: string;
	emoji: string;
}

const REROLL_EMOJI = '🔄';
const SUBTLE = 'Vary (Subtle)';
const MAKE_VARIATIONS = 'Make Variations';
const NUMBERS = [1, 2, 3, 4] as const;

/**
 * The buttons that a task of this kind offers. Their ids hold the operation, the picture's number and the task.
 * @param older whether an upscaled picture has the older "Make Variations" in place of "Vary (Subtle)"
 */
export function buttonsOf(action: GridAction, taskId: string, older = false): GridButton[] {
	const job = createHash('sha256').update(taskId).digest('hex').slice(0, 12);
	const button = (operation: string, index: number, label: string, emoji = ''): GridButton => ({
		custom_id: `GRIDART::JOB::${operation}::${index}::${job}`,
		label,
		emoji,
	});
	if (action === 'UPSCALE' || action === 'PAN') {
		return [
			older ? button('variation', 1, MAKE_VARIATIONS) : button('low_variation', 1, SUBTLE, '🪄'),
			...(older ? [] : [button('high_variation', 1, 'Vary (Strong)', '🪄')]),
			button('pan_left', 1, '', '⬅️'),
		];
	}
	return [
		...NUMBERS.map((index) => button('upsample', index, `U${index}`)),
		...NUMBERS.map((index) => button('low_variation', index, `${SUBTLE} V${index}`, '🪄')),
		...NUMBERS.map((index) => button('variation', index, `${MAKE_VARIATIONS} V${index}`)),
		// Only an imagine or reroll grid can be regenerated.
		...(action === 'IMAGINE' || action === 'REROLL' ? [button('reroll', 0, '', REROLL_EMOJI)] : []),
	];
}

/** The button of an operation (spec, section 4), or `undefined` when the parent has none for it. */
export function matchButton(
	operation: GridOperationName,
	buttons: readonly GridButton[],
	index: number | undefined,
): GridButton | undefined {
	const labelled = (text: string) => {
		const found = buttons.filter(({ label }) => label.includes(text));
		// A single picture has one button of a kind, for every index.
		return found.length === 1
			? found[0]
			: found.find(({ custom_id }) => custom_id.split('::')[3] === String(index));
	};
	switch (operation) {
		case 'variation':
			return labelled(SUBTLE);
		case 'lowVariation':
			return labelled(SUBTLE) ?? labelled(MAKE_VARIATIONS);
		case 'upscale':
			return buttons.find(({ label }) => label === `U${index}`);
		case 'reroll':
			return buttons.find(
				({ custom_id, emoji }) => custom_id.includes('::reroll::') || emoji === REROLL_EMOJI,
			);
	}
}
