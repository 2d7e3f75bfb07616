import type { INodeProperties } from 'n8n-workflow';

/** A video to start from: one to edit, or one to take features from (spec §6, rules 5 and 6). */
export const videoFields: INodeProperties[] = [
	{
		displayName: 'Video',
		name: 'referType',
		type: 'options',
		options: [
			{ name: 'None', value: 'none' },
			{
				name: 'Edit a Video',
				value: 'base',
				description: 'A video of 3 to 10 seconds. The result is as long as the video.',
			},
			{
				name: 'Take Features From a Video',
				value: 'feature',
				description: 'MP4 or MOV, at least 3 seconds, 720 to 2160 px, 24 to 60 fps, at most 200 MB',
			},
		],
		default: 'none',
		description: 'A video to start from. With one, no sound is made anew.',
	},
	{
		displayName: 'Video URL',
		name: 'videoUrl',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. https://example.com/clip.mp4',
		displayOptions: { show: { referType: ['base', 'feature'] } },
		description: 'A public address',
	},
];
