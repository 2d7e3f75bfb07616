import type { INodeProperties } from 'n8n-workflow';

import { type MusicFields, unreadFields } from '../shared/api/music';
import { flag } from '../shared/util/schema';
import { z } from '../shared/util/vendor/zod';

/** Value of "Mode" that sends no `custom`. */
export const AUTOMATIC = 'auto';

/** "Mode", which decides what the other fields do. `automatic` says what "Automatic" comes to. */
function modeField(automatic: string): INodeProperties {
	return {
		displayName: 'Mode',
		name: 'custom',
		type: 'options',
		options: [
			{ name: 'Automatic', value: AUTOMATIC, description: automatic },
			{ name: 'Custom Lyrics', value: true, description: 'Your own lyrics, style and title' },
			{
				name: 'From Description',
				value: false,
				description: 'A description alone, and the service does the rest',
			},
		],
		default: AUTOMATIC,
		description: 'What the song is made of',
	};
}

type DisplayOptions = INodeProperties['displayOptions'];

/** How an operation reads "Automatic": what the mode's field says, and where the fields that depend on it are shown. */
export interface ModeRules {
	field: INodeProperties;
	/** For fields that custom mode alone reads. */
	customOnly: DisplayOptions;
	/** The same for fields inside a collection. */
	customOnlyOption: DisplayOptions;
	/** For the field that description mode alone reads. */
	descriptionOnly: DisplayOptions;
}

/**
 * Without `custom` the service infers it (spec §2, Common field rules). The panel then shows every field: what the
 * inferred mode does not read is left out when the request is made, for only then are expressions known.
 */
export const inferredMode: ModeRules = {
	field: modeField(
		'With lyrics the service takes Custom Lyrics; else with a description From Description; else with tags or a title Custom Lyrics',
	),
	customOnly: { show: { custom: [AUTOMATIC, true] } },
	descriptionOnly: { show: { custom: [AUTOMATIC, false] } },
	customOnlyOption: { hide: { '/custom': [false] } },
};

/** Without `custom` the service reads the description, and infers nothing (spec §2, extend). */
export const extendMode: ModeRules = {
	field: modeField(
		'Nothing is sent, and the service reads the description but no lyrics, style or title',
	),
	customOnly: { show: { custom: [true] } },
	descriptionOnly: { show: { custom: [AUTOMATIC, false] } },
	customOnlyOption: { hide: { '/custom': [AUTOMATIC, false] } },
};

const fieldsOf = z.record(z.unknown());
const custom = flag();

function withMode(fields: MusicFields): MusicFields {
	const { custom: given, ...others } = fields;
	if (given === undefined || given === AUTOMATIC) return others;
	const read = custom.safeParse(given);
	return { ...others, custom: read.success ? read.data : given };
}

/**
 * Leaves out what the mode does not read, before anything is checked: a value that is not sent can break no rule.
 * `modeOf` infers the mode from the fields.
 */
export function keepReadFields(modeOf: (fields: MusicFields) => boolean | undefined) {
	return (given: unknown): unknown => {
		const read = fieldsOf.safeParse(given);
		if (!read.success) return given;
		const fields = withMode(read.data);
		const unread = unreadFields(modeOf(fields));
		return Object.fromEntries(Object.entries(fields).filter(([name]) => !unread.includes(name)));
	};
}
