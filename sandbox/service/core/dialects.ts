import type { Family } from './store/tasks';

/**
 * Ways to answer what the spec does not show. A field that the spec shows stays in its place in every dialect; its type
 * may differ (a number as text, a time in ISO form).
 * - `plain`: the sandbox's own choice, with as few fields as possible
 * - `enveloped`: everything in `data`, links in lists, empty lists beside the filled one, ISO times
 * - `flat`: bare records with the links at the top level, numbers as text, times in milliseconds, upper-case states
 * - `nested`: links deep inside `result.output`, numeric task ids, times in microseconds
 * - `verbose`: the request repeated in the record, blanks everywhere, text buttons, a track without a link
 */
export const DIALECTS = ['plain', 'enveloped', 'flat', 'nested', 'verbose'] as const;

export type DialectName = (typeof DIALECTS)[number];

export interface Dialect {
	/**
	 * - `list`: the spec's acknowledgement
	 * - `object`: `data` is the object itself
	 * - `bare`: nothing but `{ task_id }`
	 * - `idOnly`: `data[0]` has no `status`
	 * - `padded`: more fields without a value
	 */
	acknowledgement: 'list' | 'object' | 'bare' | 'idOnly' | 'padded';
	/** Whether grid and video records are in `data`; image and music records always are. */
	envelope: boolean;
	callbackEnvelope: boolean;
	/** Where links are whose place the spec does not show: those of videos and stems. */
	links: 'result' | 'lists' | 'record' | 'nested' | 'items';
	/** Whether a link that is text in the spec comes in a list. */
	textLinksInLists: boolean;
	/** Whether a link that is in a list in the spec comes as text. */
	listedLinksAsText: boolean;
	/** Whether `expires_at` has a value. */
	showsExpiry: boolean;
	numbersAsText: boolean;
	times: 'seconds' | 'iso' | 'milliseconds' | 'microseconds';
	numericIds: boolean;
	/** What is written where there is no value; `undefined` leaves the field out. */
	blank: { error: unknown; container: unknown; value: unknown };
	/** Whether a record repeats the fields of the request. */
	echo: boolean;
	/** Buttons of a grid: as objects, with the id in camelCase, or as a list of ids. */
	buttons: 'objects' | 'camelCase' | 'ids';
	showsAction: boolean;
	/** Whether a track without a link is between the tracks of a song. */
	linklessTrack: boolean;
	/** `usual`: blocks in messages style, text in completions style. */
	chatContent: 'usual' | 'text' | 'blocks';
	/** The spec shows all of those of images. */
	words: Readonly<Record<Exclude<Family, 'image'>, StateWords>>;
}

/** The state words of a family. */
export function words(submitted: string, running: string, completed: string, failed: string) {
	return { submitted, running, completed, failed };
}

export type StateWords = ReturnType<typeof words>;

const plain: Dialect = {
	acknowledgement: 'list',
	envelope: true,
	callbackEnvelope: false,
	links: 'result',
	textLinksInLists: false,
	listedLinksAsText: false,
	showsExpiry: true,
	numbersAsText: false,
	times: 'seconds',
	numericIds: false,
	blank: { error: undefined, container: undefined, value: undefined },
	echo: false,
	buttons: 'objects',
	showsAction: true,
	linklessTrack: false,
	chatContent: 'usual',
	words: {
		grid: words('SUBMITTED', 'IN_PROGRESS', 'SUCCESS', 'FAILURE'),
		music: words('pending', 'pending', 'completed', 'failed'),
		video: words('submitted', 'processing', 'success', 'failed'),
	},
};

const TABLE: Readonly<Record<DialectName, Dialect>> = {
	plain,
	enveloped: {
		...plain,
		acknowledgement: 'object',
		callbackEnvelope: true,
		links: 'lists',
		textLinksInLists: true,
		times: 'iso',
		blank: { error: { message: null, code: null }, container: {}, value: null },
		words: {
			grid: words('queued', 'processing', 'success', 'cancelled'),
			music: words('queued', 'processing', 'succeed', 'failed'),
			video: words('queued', 'processing', 'succeed', 'cancelled'),
		},
	},
	flat: {
		...plain,
		acknowledgement: 'bare',
		envelope: false,
		links: 'record',
		listedLinksAsText: true,
		numbersAsText: true,
		times: 'milliseconds',
		blank: { error: false, container: [], value: null },
		chatContent: 'text',
		words: {
			grid: words('QUEUED', 'PROCESSING', 'SUCCEEDED', 'FAILED'),
			music: words('QUEUED', 'PROCESSING', 'COMPLETED', 'FAILED'),
			video: words('QUEUED', 'PROCESSING', 'SUCCEEDED', 'CANCELLED'),
		},
	},
	nested: {
		...plain,
		acknowledgement: 'idOnly',
		links: 'nested',
		times: 'microseconds',
		numericIds: true,
		blank: { error: null, container: null, value: null },
		buttons: 'camelCase',
		chatContent: 'blocks',
		words: {
			grid: words('waiting', 'generating', 'done', 'error'),
			music: words('waiting', 'generating', 'done', 'error'),
			video: words('waiting', 'generating', 'done', 'expired'),
		},
	},
	verbose: {
		...plain,
		acknowledgement: 'padded',
		links: 'items',
		showsExpiry: false,
		blank: { error: '', container: [], value: null },
		echo: true,
		buttons: 'ids',
		showsAction: false,
		linklessTrack: true,
		words: {
			grid: words('Not_Start', 'In_Progress', 'Finished', 'Rejected'),
			music: words('pending', 'running', 'finished', 'canceled'),
			video: words('pending', 'running', 'finished', 'expired'),
		},
	},
};

export function dialectOf(name: DialectName): Dialect {
	return TABLE[name];
}
