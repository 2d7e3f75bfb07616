import type { INodeProperties } from 'n8n-workflow';

import { downloadFilesField, outputField, triggerResultOptions } from '../shared/n8n/options';

export const triggerFields: INodeProperties[] = [
	{
		displayName:
			'The address under "Webhook URLs" above is the base address: give it as "Callback Base URL" to a MediaGen node, or as <code>webhook</code> to the service, which adds /callback to it by itself.',
		name: 'baseAddressNotice',
		type: 'notice',
		default: '',
	},
	{
		displayName: 'Trigger On',
		name: 'events',
		type: 'multiOptions',
		options: [
			{ name: 'Completed', value: 'completed', description: 'A task has ended with its results' },
			{ name: 'Failed', value: 'failed', description: 'A task has failed and was refunded' },
			{ name: 'Other', value: 'other', description: 'A task has changed in some other way, if the service tells' },
		],
		default: ['completed', 'failed'],
		required: true,
	},
	{
		displayName: 'Verify With Service',
		name: 'verify',
		type: 'boolean',
		default: true,
		description:
			'Whether to read the task at the service before an execution starts. A callback carries no signature, so anybody who knows the address could send one. Needs a credential; without one the callback is taken as it comes.',
	},
	outputField,
	downloadFilesField,
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: [
			{
				displayName: 'De-Duplication Window',
				name: 'dedupeWindow',
				type: 'number',
				typeOptions: { minValue: 1 },
				default: 24,
				description: 'Hours for which a task is remembered, so that a second callback for it starts nothing',
			},
			...triggerResultOptions,
			{
				displayName: 'Only From These Task Families',
				name: 'families',
				type: 'multiOptions',
				options: [
					{ name: 'Grid', value: 'grid' },
					{ name: 'Image', value: 'image' },
					{ name: 'Music', value: 'music' },
					{ name: 'Video', value: 'video' },
				],
				default: [],
				description: 'Leave empty for all. A family that does not show in the record counts as none of these.',
			},
			{
				displayName: 'Repeat When in Doubt',
				name: 'repeatInDoubt',
				type: 'boolean',
				default: true,
				description:
					'Whether a repeated callback starts an execution when n8n was stopped before it was certain that the first one did. Off: it starts none, and a result may be missed.',
			},
		],
	},
];
