import type { INodeProperties, IWebhookDescription } from 'n8n-workflow';

import { TASK_FAMILIES, TASK_ID_PLACEHOLDER } from '../shared/api/families';
import { toOptions } from '../shared/n8n/fields';
import {
	downloadFilesField,
	optionsField,
	outputField,
	triggerResultOptions,
} from '../shared/n8n/options';
import { flag, number } from '../shared/util/schema';
import { z } from '../shared/util/vendor/zod';

/** The name of the webhook that only tells a browser what the base address is. */
export const BASE_ADDRESS = 'setup';

/**
 * The panel shows the base address alone: the service appends `/callback` to it (spec, Events 2). Where the address ends with
 * `?reference=…`, a service that appends to the text calls the base path. Nothing is registered at the service.
 */
export const webhooks: IWebhookDescription[] = [
	{
		name: BASE_ADDRESS,
		httpMethod: 'GET',
		path: '',
		isFullPath: true,
		responseMode: 'onReceived',
		ndvHideMethod: true,
	},
	{
		name: 'default',
		httpMethod: 'POST',
		path: 'callback',
		responseMode: 'onReceived',
		ndvHideUrl: true,
	},
	{
		name: 'default',
		httpMethod: 'POST',
		path: '',
		isFullPath: true,
		responseMode: 'onReceived',
		ndvHideUrl: true,
	},
];

export const properties: INodeProperties[] = [
	{
		displayName:
			'The address under "Webhook URLs" above is the base address: set it as "Callback Base URL" in a MediaGen node, or send it to the service as <code>webhook</code>. The service adds /callback to it. You can add ?reference=… with a text of your own.',
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
			{
				name: 'Other',
				value: 'other',
				description: 'A task has another status, if the service reports it. Once per status.',
			},
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
			'Whether to read the task from the service before an execution starts. A callback has no signature, so anybody who knows the address could send one. Needs a credential; without one, callbacks are not verified.',
	},
	outputField,
	downloadFilesField,
	optionsField([
		...triggerResultOptions,
		{
			displayName: 'De-Duplication Window (Hours)',
			name: 'dedupeWindow',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: 24,
			description: 'How long a task is remembered, so that a second callback for it starts nothing',
		},
		{
			displayName: 'Only From These Task Families',
			name: 'families',
			type: 'multiOptions',
			options: toOptions([...TASK_FAMILIES].sort()),
			default: [],
			description:
				'Leave empty for all. A task whose family cannot be told starts the workflow too, with the family null.',
		},
		{
			displayName: 'Only Signed Addresses',
			name: 'onlySigned',
			type: 'boolean',
			default: false,
			description:
				'Whether to take calls only for tasks whose MediaGen node has this address as "Callback Base URL", a "Reference", and a credential with the same API key as this trigger: it signs the address. Other calls are refused without a request to the service.',
		},
		{
			displayName: 'Repeat When in Doubt',
			name: 'repeatInDoubt',
			type: 'boolean',
			default: true,
			description:
				'Whether a repeated callback starts an execution when it is not certain that the first one did, such as after a crash of n8n. If off, a result may be missed.',
		},
	]),
];

const settings = z.object({
	events: z.array(z.enum(['completed', 'failed', 'other'])).catch(['completed', 'failed']),
	verify: flag().catch(true),
	/** Hours. */
	dedupeWindow: number(1).catch(24),
	families: z.array(z.enum(TASK_FAMILIES)).catch([]),
	onlySigned: flag().catch(false),
	repeatInDoubt: flag().catch(true),
	taskQueryPath: z
		.string()
		.startsWith('/')
		.includes(TASK_ID_PLACEHOLDER)
		.optional()
		.catch(undefined),
});

export type Settings = z.infer<typeof settings>;

/**
 * Reads the parameters that the call needs. One that is missing or not valid has its default. The options are read one by one:
 * others, such as the file name, may have expressions that only the execution can evaluate.
 */
export function readSettings(parameter: (name: string) => unknown): Settings {
	const options = ['dedupeWindow', 'families', 'onlySigned', 'repeatInDoubt', 'taskQueryPath'];
	const given = options.map((name) => [name, parameter(`options.${name}`)]);
	return settings.parse({
		...Object.fromEntries(given),
		events: parameter('events'),
		verify: parameter('verify'),
	});
}
