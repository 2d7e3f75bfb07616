import type { INodeProperties } from 'n8n-workflow';

import * as spec from '../shared/api/music';
import type { Operation } from '../shared/n8n/describe';
import { additionalFieldsOf } from '../shared/n8n/fields';
import type { Options } from '../shared/n8n/options';
import {
	type ExecutedItem,
	labelOf,
	type ParameterValues,
	refusal,
	unlistedNotes,
} from '../shared/n8n/parameters';
import { BESIDE_A_SONG } from '../shared/output/resultFiles';
import { isMain } from '../shared/output/task';
import { mustBeCompleted } from '../shared/tasks/checkParent';
import { buyingOperation, type BuyingOperation } from '../shared/tasks/execute';
import type { PanelBody, RequestBody, TaskFile } from '../shared/tasks/prepare';
import { said } from '../shared/util/json';
import { toCamelCase } from '../shared/util/names';
import { refuseIn } from '../shared/util/schema';
import { z } from '../shared/util/vendor/zod';
import { model, style, words } from './fields';
import { keepReadFields, shownIn, type SongMode } from './mode';

type Rule = (body: RequestBody, refuse: ReturnType<typeof refuseIn>) => void;

interface MusicOperation extends Pick<
	BuyingOperation,
	'name' | 'value' | 'action' | 'description' | 'synchronous'
> {
	/** In sight. */
	fields: Options;
	/** How the service reads the request for a song, which has words and a style too. */
	song?: SongMode;
	/** In the collection, beside the model. */
	options?: Options;
	rule?: Rule;
}

const interval = z.object({ start_s: z.number(), end_s: z.number() });

/** Refuses an interval that does not end after it begins: the service would be paid for nothing. */
export const endsAfterStart: Rule = (body, refuse) => {
	const { start_s: start, end_s: end } = interval.parse(body);
	if (end <= start) refuse('end_s', `must be after the start, which is at ${start} seconds`);
};

/** The schema of a request with these fields. Description mode needs its description (spec §2, `custom`). */
export function musicRequest(
	fields: Options,
	mode?: SongMode,
	rule?: Rule,
): BuyingOperation['schema'] {
	const schema = z.object(fields).superRefine((body: RequestBody, issues) => {
		const refuse = refuseIn(issues);
		rule?.(body, refuse);
		if (mode?.infers && body.custom === false && body.gpt_description === undefined)
			refuse('gpt_description', 'is required by the mode From Description');
	});
	return mode ? z.preprocess(keepReadFields(mode), schema) : schema;
}

/** The fields in the panel. A field that only one mode reads is shown in that mode. */
function panelOf(fields: Options, mode?: SongMode, inCollection = false): INodeProperties[] {
	return Object.entries(fields).map(([name, { field }]) => {
		const displayOptions = mode && shownIn(mode, name, inCollection);
		return { ...field, ...(displayOptions && { displayOptions }), name: toCamelCase(name) };
	});
}

function unreadNotes(fields: readonly INodeProperties[], body: RequestBody, given: RequestBody) {
	return [...spec.CUSTOM_MODE_FIELDS, spec.DESCRIPTION_MODE_FIELD]
		.filter((name) => given[name] !== undefined && body[name] === undefined)
		.map((name) => `"${labelOf(fields, name)}" was not sent: the mode does not read it`);
}

const KNOWN_VALUES = {
	model: spec.MUSIC_MODELS,
	version: spec.MUSIC_VERSIONS,
	stem_type: spec.STEM_TYPES,
	vocal_gender: spec.VOCAL_GENDERS,
};

const positionNote = ({ continue_at: second }: RequestBody) =>
	typeof second === 'number' &&
	second < 0 &&
	`"Continue At (Seconds)" is ${second}, before the beginning of the song: it is sent as it is`;

/** What a song can be made of, beside its source. */
const WORDS = ['prompt', spec.DESCRIPTION_MODE_FIELD, 'tags', 'title'];

/** What custom mode reads, too. An inferred mode is not chosen by it, so that the service ignores it alone. */
const WORDS_OF_CUSTOM_MODE = [...WORDS, 'negative_tags', 'persona_id'];

/** A note for a request that says nothing of the song, such as after an empty expression. Only an extension needs no words. */
function wordlessNotes(body: RequestBody, song?: SongMode): string[] {
	if (!song || (!song.infers && body.custom !== true)) return [];
	const words = body.custom === true ? WORDS_OF_CUSTOM_MODE : WORDS;
	if (words.some((name) => body[name] !== undefined)) return [];
	return ['Nothing says what the song is like: no lyrics, description, tags or title are sent'];
}

/** Why a file of the task is not the track that the request is for: it is a cover, or another track. */
function fileProblem(
	{ task_id: taskId, audio_index: track }: RequestBody,
	file: TaskFile,
): string | undefined {
	const { index, kind, name, place } = file;
	if (track === undefined) return undefined;
	// A table may have made `null` a blank.
	const hasNone = index === null || (index === undefined && BESIDE_A_SONG.test(name ?? ''));
	if (hasNone || !isMain(file, 'music'))
		return `This file of task ${String(taskId)} is not a track: ${name || kind}`;
	if (index === undefined || index === track) return undefined;
	const ifItsTask = file.taskId === undefined ? ', if that is the task of the file' : '';
	return `This item is track ${index} of task ${String(taskId)}, and "Track Number" is ${Number(track)}: set it to {{ $json.${place}index }}${ifItsTask}`;
}

/** Refuses the task of an item that says that this task has failed: the service would not find a track of it. */
function bodyOf(values: ParameterValues, item: ExecutedItem): PanelBody {
	const { taskId, status, serviceStatus } = item.context.getInputData()[item.itemIndex]?.json ?? {};
	// A row may have a status of the user's own.
	const isTask = serviceStatus !== undefined && taskId !== undefined;
	if (isTask && status === 'failed' && taskId === values.taskId)
		throw refusal(item, 'taskId', mustBeCompleted(status));
	return { body: values };
}

/** Creates an operation from its fields: `POST /v1/music/generations/{operation}` (spec §2). */
export function musicOperation(given: MusicOperation): Operation {
	const { fields: own, song, options: others, rule, ...operation } = given;
	const inSight = { ...own, ...(song && words(song)) };
	const options = { model, ...(song && style), ...others };
	const fields = [...panelOf(inSight, song), additionalFieldsOf(panelOf(options, song, true))];
	return buyingOperation({
		...operation,
		family: 'music',
		resource: { name: 'Music', value: 'music' },
		fields,
		schema: musicRequest({ ...inSight, ...options }, song, rule),
		toBody: bodyOf,
		path: `/v1/music/generations/${operation.value}`,
		notes: (body, set) =>
			said(
				unlistedNotes(body, KNOWN_VALUES),
				positionNote(body),
				wordlessNotes(body, song),
				unreadNotes(fields, body, set),
			),
		fileProblem,
	});
}
