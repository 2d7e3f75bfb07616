import type { INodeProperties } from 'n8n-workflow';

import { flag, oneOf, text } from '../../shared/util/schema';
import { REMIX_ASPECT_RATIOS, REMIX_MODELS, REMIX_RESOLUTIONS, withoutAlias } from '../../shared/api/video';
import { toOptions } from '../../shared/n8n/optionLists';
import { submission } from '../../shared/tasks/execute';
import { z } from '../../shared/util/vendor/zod';
import { judgeOriginal } from '../original';

const ALIASES = Object.fromEntries(
	REMIX_MODELS.filter((model) => model !== withoutAlias(model)).map((model) => [
		model,
		`Another name of ${withoutAlias(model)}`,
	]),
);

const fields: INodeProperties[] = [
	{
		displayName: 'Task ID',
		name: 'taskId',
		type: 'string',
		required: true,
		default: '={{ $json.taskId }}',
		description: 'The task that made the video. It must have ended well.',
	},
	{
		displayName: 'Model',
		name: 'model',
		type: 'options',
		options: REMIX_MODELS.map((model) => ({ name: model, value: model, description: ALIASES[model] })),
		default: 'vidgen3.1-fast',
		description: 'It must be the model that made the video',
	},
	{
		displayName: 'Prompt',
		name: 'prompt',
		type: 'string',
		typeOptions: { rows: 4 },
		default: '',
		placeholder: 'e.g. The fog lifts and the sea lies calm',
		description: 'What the added part shows',
	},
	{
		displayName: 'Additional Fields',
		name: 'additionalFields',
		type: 'collection',
		placeholder: 'Add Field',
		default: {},
		options: [
			{
				displayName: 'Aspect Ratio',
				name: 'aspectRatio',
				type: 'options',
				options: toOptions(REMIX_ASPECT_RATIOS),
				default: '16:9',
			},
			{
				displayName: 'Raw',
				name: 'raw',
				type: 'boolean',
				default: true,
				description: 'Whether to return the added part alone instead of the whole video',
			},
			{
				displayName: 'Resolution',
				name: 'resolution',
				type: 'options',
				options: toOptions(REMIX_RESOLUTIONS),
				default: '720p',
			},
		],
	},
];

const schema = z.object({
	task_id: text(),
	model: oneOf(REMIX_MODELS),
	prompt: text().optional(),
	raw: flag().optional(),
	aspect_ratio: oneOf(REMIX_ASPECT_RATIOS).optional(),
	resolution: oneOf(REMIX_RESOLUTIONS).optional(),
});

/** A video made longer, from 8 to 15 seconds (spec §5): `POST /v1/videos/{task_id}/remix`. */
export const remix = submission({
	family: 'video',
	resource: { name: 'Video', value: 'video' },
	name: 'Extend',
	value: 'remix',
	action: 'Extend a video',
	description: 'Continue a video that was made before, from 8 to 15 seconds',
	fields,
	schema,
	toRequest: ({ task_id, ...body }) => ({ path: `/v1/videos/${encodeURIComponent(String(task_id))}/remix`, body }),
	precheck: { parentOf: ({ task_id }) => task_id, judge: judgeOriginal },
});
