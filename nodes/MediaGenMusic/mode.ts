import { extendReads, inferMode, type MusicFields, unreadFields } from '../shared/api/music';
import type { Field } from '../shared/n8n/options';
import { flag } from '../shared/util/schema';
import { z } from '../shared/util/vendor/zod';

/** Value of "Mode" that sends no `custom`. */
const AUTOMATIC = 'auto';

/** How an operation reads a request without `custom`. */
export interface SongMode {
	/** What "Automatic" comes to. */
	automatic: string;
	/** Whether the panel shows with "Automatic" what custom mode alone reads. */
	mayBeCustom: boolean;
	/** The mode in which the service reads a request. */
	modeOf: (fields: MusicFields) => boolean | undefined;
	/** Whether description mode refuses a request without a description. */
	needsDescription: boolean;
	/** What the tags describe. */
	tags?: string;
}

/**
 * Without `custom` the service infers it (spec §2, Common field rules). The panel then shows every field: what the
 * inferred mode does not read is left out when the request is made, for only then are expressions known.
 */
export const inferredMode: SongMode = {
	automatic:
		'With lyrics the service takes Custom Lyrics; else with a description From Description; else with tags or a title Custom Lyrics',
	mayBeCustom: true,
	modeOf: inferMode,
	needsDescription: true,
};

/** Without `custom` the service reads the description, and neither infers the mode nor enforces what it needs (spec §2, extend). */
export const extendMode: SongMode = {
	automatic: 'Nothing is sent, and the service reads the description but no lyrics, style or title',
	mayBeCustom: false,
	modeOf: extendReads,
	needsDescription: false,
};

/** "Mode", which decides what the other fields do. */
export const modeField = ({ automatic }: SongMode): Field => ({
	displayName: 'Mode',
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
});

/** Where a field is shown that one mode alone reads: in sight, or in the collection. */
export function shownIn(mode: SongMode, readsIt: 'custom' | 'description', inCollection = false) {
	const custom = mode.mayBeCustom ? [AUTOMATIC, true] : [true];
	if (readsIt === 'description') return { show: { custom: [AUTOMATIC, false] } };
	return inCollection
		? { hide: { '/custom': [AUTOMATIC, false].filter((value) => !custom.includes(value)) } }
		: { show: { custom } };
}

const fieldsOf = z.record(z.unknown());
const custom = flag();

function withMode(fields: MusicFields): MusicFields {
	const { custom: given, ...others } = fields;
	if (given === undefined || given === AUTOMATIC) return others;
	const read = custom.safeParse(given);
	return { ...others, custom: read.success ? read.data : given };
}

/** Leaves out what the mode does not read, before anything is checked: a value that is not sent can break no rule. */
export function keepReadFields({ modeOf }: SongMode) {
	return (given: unknown): unknown => {
		const read = fieldsOf.safeParse(given);
		if (!read.success) return given;
		const fields = withMode(read.data);
		const unread = unreadFields(modeOf(fields));
		return Object.fromEntries(Object.entries(fields).filter(([name]) => !unread.includes(name)));
	};
}
