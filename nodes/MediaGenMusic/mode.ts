import { CUSTOM_MODE_FIELDS, DESCRIPTION_MODE_FIELD, unreadFields } from '../shared/api/music';
import type { Field } from '../shared/n8n/options';
import { isObject } from '../shared/util/json';
import { flag } from '../shared/util/schema';

/** Value of "Mode" that sends no `custom`. */
const AUTOMATIC = 'auto';

/** How an operation reads the words of a song. */
export interface SongMode {
	/**
	 * Whether the service infers the mode of a request without `custom`, and requires what the mode needs (spec §2, Common field rules). If not,
	 * it reads the description (spec §2, extend).
	 */
	infers: boolean;
	/** What the tags describe. */
	tags?: string;
}

export const modeField = ({ infers }: SongMode): Field => ({
	displayName: 'Mode',
	type: 'options',
	options: [
		{
			name: 'Automatic',
			value: AUTOMATIC,
			description: infers
				? 'The service chooses: Custom Lyrics if there are lyrics, else From Description if there is a description, else Custom Lyrics if there are tags or a title'
				: 'No mode is sent, and the service reads the description but no lyrics, style or title',
		},
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

/** The condition of a field that one mode alone reads, in sight or in the collection; `undefined` for any other field. */
export function shownIn({ infers }: SongMode, field: string, inCollection: boolean) {
	if (field === DESCRIPTION_MODE_FIELD) return { show: { custom: [AUTOMATIC, false] } };
	if (!CUSTOM_MODE_FIELDS.some((custom) => custom === field)) return undefined;
	return inCollection
		? { hide: { '/custom': infers ? [false] : [AUTOMATIC, false] } }
		: { show: { custom: infers ? [AUTOMATIC, true] : [true] } };
}

/** Leaves out what the mode does not read, before anything is checked: a value that is not sent can break no rule. */
export function keepReadFields({ infers }: SongMode) {
	return (given: unknown): unknown => {
		if (!isObject(given)) return given;
		const { custom: chosen, ...fields } = given;
		if (chosen !== undefined && chosen !== AUTOMATIC)
			fields.custom = flag().safeParse(chosen).data ?? chosen;
		const unread = unreadFields(fields, infers);
		return Object.fromEntries(Object.entries(fields).filter(([name]) => !unread.includes(name)));
	};
}
