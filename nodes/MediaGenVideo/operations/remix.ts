import type { INodeProperties } from 'n8n-workflow';

import { toDeploymentWords } from '../../shared/api/brandWords';
import * as spec from '../../shared/api/video';
import {
	additionalFieldsOf,
	type ListedValue,
	listField,
	openValueField,
	promptField,
	taskIdField,
	toOptions,
} from '../../shared/n8n/fields';
import { unlistedNotes } from '../../shared/n8n/parameters';
import type { ParentRule } from '../../shared/tasks/checkParent';
import { buyingOperation } from '../../shared/tasks/execute';
import { flag, oneOf, schemaFor, taskId, text } from '../../shared/util/schema';
import { z } from '../../shared/util/vendor/zod';

const FAST: ListedValue = { name: 'VidGen 3.1 Fast', value: 'vidgen3.1-fast' };

/** What "Model" lists. The aliases that end with `-ext` are accepted too. */
export const REMIX_MODEL_LIST: readonly ListedValue[] = [
	FAST,
	{ name: 'VidGen 3.1 Quality', value: 'vidgen3.1-quality' },
];

const fields: INodeProperties[] = [
	taskIdField('The task that made the video. It must be completed.'),
	openValueField({
		displayName: 'Model',
		name: 'model',
		preset: FAST,
		searchListMethod: 'searchRemixModels',
		placeholder: 'e.g. vidgen3.1-fast',
		description:
			'The model that made the video. Only clips of VidGen can be extended, not those of VidOmni.',
	}),
	promptField({
		placeholder: 'e.g. The fog lifts and the sea lies calm',
		description: 'What the added part shows',
	}),
	additionalFieldsOf([
		listField({
			displayName: 'Aspect Ratio',
			name: 'aspectRatio',
			options: toOptions(spec.REMIX_ASPECT_RATIOS),
		}),
		{
			displayName: 'Raw',
			name: 'raw',
			type: 'boolean',
			default: true,
			description: 'Whether to return the added part alone instead of the whole video',
		},
		listField({
			displayName: 'Resolution',
			name: 'resolution',
			options: toOptions(spec.REMIX_RESOLUTIONS, {}, { '4k': '4K' }),
		}),
	]),
];

const isKnown = (model: unknown) =>
	model === undefined || spec.REMIX_MODEL_NAMES.some((name) => name === model);

/** The body of an extension, with the task of its path. Limits apply to the models of the spec only. */
const remixRequest = schemaFor(({ model }) =>
	z.object({
		task_id: taskId(),
		model: text(),
		prompt: text().optional(),
		raw: flag().optional(),
		aspect_ratio: text().optional(),
		resolution: (isKnown(model) ? oneOf(spec.REMIX_RESOLUTIONS) : text()).optional(),
	}),
);

/** The model must be the parent's (spec §5). What the service refuses is not shown, so a difference is only noted. */
export const checkOriginal: ParentRule = (body, record, words) => {
	const { task_id: taskId, model } = body;
	// "Additional Body Fields" may replace them by anything.
	if (typeof taskId !== 'string' || typeof model !== 'string') return {};
	const original = record?.raw.model;
	if (typeof original !== 'string') {
		const why = record ? 'does not name a model' : 'could not be read';
		const note = `The service must decide whether task ${taskId} was made by ${model}: its record ${why}`;
		return { notes: [note] };
	}
	if (spec.withoutAlias(original) === spec.withoutAlias(toDeploymentWords(model, words))) return {};
	const note = `Task ${taskId} was made by ${original}, and "Model" is ${model}: the service may refuse it`;
	return { notes: [note] };
};

/** A video made longer, from 8 to 15 seconds (spec §5): `POST /v1/videos/{task_id}/remix`. */
export const remix = buyingOperation({
	family: 'video',
	resource: { name: 'Video', value: 'video' },
	name: 'Extend',
	value: 'remix',
	action: 'Extend a video',
	description: 'Continue a video that VidGen made, from 8 to 15 seconds',
	fields,
	schema: remixRequest,
	path: ({ task_id, ...body }) => ({
		path: `/v1/videos/${encodeURIComponent(String(task_id))}/remix`,
		body,
	}),
	notes: (body) => [
		...unlistedNotes(body, { model: spec.REMIX_MODEL_NAMES }),
		...(isKnown(body.model) ? unlistedNotes(body, { aspect_ratio: spec.REMIX_ASPECT_RATIOS }) : []),
	],
	parent: checkOriginal,
});
