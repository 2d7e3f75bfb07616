import type { INodeProperties } from 'n8n-workflow';

import { integer } from '../../shared/util/schema';
import { z } from '../../shared/util/vendor/zod';
import {
	additionalFields,
	autoLyricsOption,
	inCustomMode,
	MADE_BY_A_TASK,
	personaOption,
	sourceFields,
	styleOptions,
	versionOption,
	vocalGenderOption,
	wordFields,
} from '../fields';
import { extendMode } from '../mode';
import {
	autoLyrics,
	extendRequest,
	model,
	musicOperation,
	persona,
	song,
	source,
	version,
	vocals,
} from '../request';

const continueAtOption: INodeProperties = {
	displayName: 'Continue At',
	name: 'continueAt',
	type: 'number',
	typeOptions: { minValue: 0, numberPrecision: 0 },
	default: 0,
	description: 'Second from which to continue, a whole number',
};

/** A song goes on from a point in time (spec §2, extend). */
export const extend = musicOperation({
	name: 'Extend',
	value: 'extend',
	action: 'Extend a song',
	description: 'Continue a song from a point in time',
	fields: [
		...sourceFields(MADE_BY_A_TASK),
		...wordFields(extendMode),
		additionalFields(
			continueAtOption,
			...inCustomMode(extendMode, autoLyricsOption, personaOption, ...styleOptions),
			versionOption,
			vocalGenderOption,
		),
	],
	schema: extendRequest(
		z.object({
			...model,
			...source,
			...version,
			continue_at: integer().optional(),
			...song,
			...autoLyrics,
			...persona,
			...vocals,
		}),
	),
});
