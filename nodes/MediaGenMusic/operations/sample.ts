import type { INodeProperties } from 'n8n-workflow';

import { flag, number } from '../../shared/util/schema';
import { z } from '../../shared/util/vendor/zod';
import {
	additionalFields,
	autoLyricsOption,
	inCustomMode,
	MADE_BY_A_TASK,
	secondsField,
	sourceFields,
	styleOptions,
	versionOption,
	vocalGenderOption,
	wordFields,
} from '../fields';
import { inferredMode } from '../mode';
import {
	autoLyrics,
	endsAfterStart,
	model,
	musicOperation,
	song,
	songRequest,
	source,
	version,
	vocals,
} from '../request';

const instrumentalOption: INodeProperties = {
	displayName: 'Instrumental',
	name: 'instrumental',
	type: 'boolean',
	default: true,
	description: 'Whether the song has no vocals',
};

/** A new song from a piece of another one (spec §2, sample). */
export const sample = musicOperation({
	name: 'Sample',
	value: 'sample',
	action: 'Create a song from a sample',
	description: 'Make a new song from a piece of an existing one',
	fields: [
		...sourceFields(MADE_BY_A_TASK),
		secondsField('Sample Start', 'startS', 'Second at which the sample begins'),
		secondsField('Sample End', 'endS', 'Second at which the sample ends'),
		...wordFields(inferredMode),
		additionalFields(
			...inCustomMode(inferredMode, autoLyricsOption, ...styleOptions),
			instrumentalOption,
			versionOption,
			vocalGenderOption,
		),
	],
	schema: songRequest(
		z
			.object({
				...model,
				...source,
				start_s: number(0),
				end_s: number(0),
				instrumental: flag().optional(),
				...version,
				...song,
				...autoLyrics,
				...vocals,
			})
			.superRefine(endsAfterStart),
	),
});
