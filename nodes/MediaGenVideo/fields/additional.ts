import type { INodeProperties } from 'n8n-workflow';

import {
	KEEP_ORIGINAL_SOUND,
	VIDEO_ASPECT_RATIOS,
	VIDEO_DURATION,
	VIDEO_MODES,
} from '../../shared/api/video';
import { toOptions } from '../../shared/n8n/optionLists';

/** What is optional, each in its own right. */
export const additionalFields: INodeProperties = {
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
			options: toOptions(VIDEO_ASPECT_RATIOS),
			default: '16:9',
			description: 'The ratio of a given image may count more',
		},
		{
			displayName: 'Audio',
			name: 'audio',
			type: 'boolean',
			default: true,
			displayOptions: { hide: { '/referType': ['base', 'feature'] } },
			description: 'Whether to make the video with sound',
		},
		{
			displayName: 'Duration',
			name: 'duration',
			type: 'number',
			typeOptions: { minValue: VIDEO_DURATION.min, maxValue: VIDEO_DURATION.max, numberPrecision: 0 },
			default: 5,
			description: 'Length in seconds, from 3 to 15. An edited video keeps its own.',
		},
		{
			displayName: 'Keep Original Sound',
			name: 'keepOriginalSound',
			type: 'options',
			options: toOptions(KEEP_ORIGINAL_SOUND),
			default: 'no',
			displayOptions: { show: { '/referType': ['base', 'feature'] } },
			description: 'Whether the sound of the given video stays',
		},
		{
			displayName: 'Mode',
			name: 'mode',
			type: 'options',
			options: toOptions(VIDEO_MODES, { std: '720p', pro: '1080p' }, { std: 'Standard', '4k': '4K' }),
			default: 'std',
		},
		{
			displayName: 'Negative Prompt',
			name: 'negativePrompt',
			type: 'string',
			typeOptions: { rows: 2 },
			default: '',
			placeholder: 'e.g. blur, text',
			description: 'What the video must not show, in at most 2500 characters',
		},
		{
			displayName: 'Watermark',
			name: 'watermark',
			type: 'boolean',
			default: true,
			description: 'Whether to put a watermark on the video',
		},
	],
};
