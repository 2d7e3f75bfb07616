import type { INodeProperties } from 'n8n-workflow';

import { integer, text } from '../../shared/util/schema';
import { z } from '../../shared/util/vendor/zod';
import { additionalFields, MADE_BY_A_TASK, sourceFields, titleField } from '../fields';
import { model, musicOperation, source } from '../request';

const durationOption: INodeProperties = {
	displayName: 'Duration',
	name: 'durationS',
	type: 'number',
	typeOptions: { minValue: 0, numberPrecision: 0 },
	default: 5,
	description: 'Length of the fade in seconds, a whole number',
};

/** A song that fades in (spec §2, fadeIn). */
export const fadeIn = musicOperation({
	name: 'Fade In',
	value: 'fadeIn',
	action: 'Fade a song in',
	description: 'Let the beginning of a song fade in',
	fields: [...sourceFields(MADE_BY_A_TASK), additionalFields(durationOption, titleField)],
	schema: z.object({
		...model,
		...source,
		duration_s: integer(0).optional(),
		title: text().optional(),
	}),
});
