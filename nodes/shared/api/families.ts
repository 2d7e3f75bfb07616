import { isObject } from '../util/json';
import { isMeantAsLink } from './address';

/** The kinds of task that the service runs. The trigger tries their paths in this order: first the one that most of them share. */
export const TASK_FAMILIES = ['grid', 'music', 'image', 'video'] as const;

export type TaskFamily = (typeof TASK_FAMILIES)[number];

export const RESULT_KINDS = ['audio', 'image', 'video'] as const;

export type ResultKind = (typeof RESULT_KINDS)[number];

/** Links in `result.<list>[].<link>`, with a number for each entry or for each link. */
export interface ListPlace {
	list: string;
	link: string;
	numbered: 'entries' | 'links';
}

/** Links in fields beside or inside `result`: each holds one with a name, or a list of numbered ones. */
export interface FieldPlace {
	fields: Readonly<Record<string, string | null>>;
}

export interface Family {
	/** Path of its task records, with `TASK_ID_PLACEHOLDER`. */
	queryPath: string;
	/** Whether the specification does not show this path: a 404 may be about the path. */
	isQueryPathGuessed?: boolean;
	/** What it makes. Files of another kind, such as a cover, are not what its tasks are bought for. */
	kind: ResultKind;
	/** Hours for which its links live, where the service states a lifetime but sends no date. */
	linkHours?: number;
	/** Where its records have their links; `null` where the spec does not show it. */
	results: ListPlace | FieldPlace | null;
	/** Whether a record has a shape that only records of this family have. `kinds`: those of its files, if known. */
	isShownBy(raw: Readonly<Record<string, unknown>>, kinds: ReadonlySet<ResultKind>): boolean;
}

export const TASK_ID_PLACEHOLDER = '{task_id}';

const SHARED_PATH = '/v1/tasks/{task_id}';

const GRID_ACTIONS = new Set(['IMAGINE', 'VARIATION', 'LOW_VARIATION', 'REROLL', 'UPSCALE', 'PAN']);

const has = (holder: unknown, field: string) => isObject(holder) && holder[field] !== undefined;

/** What the families differ in (spec, Resources). */
export const FAMILIES: Readonly<Record<TaskFamily, Family>> = {
	grid: {
		queryPath: SHARED_PATH,
		kind: 'image',
		results: { fields: { grid_image_url: 'grid', image_urls: null } },
		isShownBy: ({ grid_image_url: url, action }) =>
			(typeof url === 'string' && isMeantAsLink(url)) ||
			(typeof action === 'string' && GRID_ACTIONS.has(action.toUpperCase())),
	},
	music: {
		queryPath: '/v1/music/tasks/{task_id}',
		kind: 'audio',
		results: { list: 'music', link: 'audio_url', numbered: 'entries' },
		isShownBy: ({ result }) => has(result, 'music') || has(result, 'upsampled_tags'),
	},
	image: {
		queryPath: SHARED_PATH,
		kind: 'image',
		results: { list: 'images', link: 'url', numbered: 'links' },
		// Other families may have covers there, or an empty list.
		isShownBy: ({ result }, kinds) =>
			has(result, 'images') && !kinds.has('video') && !kinds.has('audio'),
	},
	// The spec shows neither the path of the task query nor the record, only how long the link lives (spec §5).
	video: {
		queryPath: SHARED_PATH,
		isQueryPathGuessed: true,
		kind: 'video',
		linkHours: 24,
		results: null,
		isShownBy: () => false,
	},
};

/** Whether a record is a grid's: by what it holds, or because the node knows. */
export const isGridRecord = (raw: Readonly<Record<string, unknown>>, family: TaskFamily | null) =>
	family === 'grid' || FAMILIES.grid.isShownBy(raw, new Set());

export const taskPath = (queryPath: string, taskId: string) =>
	queryPath.replaceAll(TASK_ID_PLACEHOLDER, encodeURIComponent(taskId));
