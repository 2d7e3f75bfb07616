import type { INodeProperties, IWebhookDescription } from 'n8n-workflow';

import { TASK_FAMILIES } from '../shared/api/families';
import { optionsOf, toOptions } from '../shared/n8n/fields';
import {
	fieldsOf,
	onIfSet,
	optionsField,
	outputFields,
	preset,
	presetNumber,
	resultOptions,
	taskQueryPath,
	toggle,
} from '../shared/n8n/options';
import { number } from '../shared/util/schema';
import { z } from '../shared/util/vendor/zod';

/** The name of the webhook that only tells a browser what the base address is. */
export const BASE_ADDRESS = 'setup';

/** The service appends `/callback` to the base address (spec, Events 2). After `?reference=…`, one that appends to the text calls the base path. */
export const webhooks: IWebhookDescription[] = [
	{
		name: BASE_ADDRESS,
		httpMethod: 'GET',
		path: '',
		isFullPath: true,
		responseMode: 'onReceived',
		ndvHideMethod: true,
	},
	...['callback', ''].map((path): IWebhookDescription => ({
		name: 'default',
		httpMethod: 'POST',
		path,
		isFullPath: path === '',
		responseMode: 'onReceived',
		ndvHideUrl: true,
	})),
];

/** The parameters that the call needs, before there is an execution: at the top level of the panel, and in its options. */
const events = preset(z.array(z.enum(['completed', 'failed', 'other'])), {
	// If the label were "Trigger On", n8n's nodes panel would make an action of each value and drop "Trigger" from the node's name.
	displayName: 'Trigger on Status',
	type: 'multiOptions',
	options: optionsOf({
		completed: ['Completed', 'A task has ended with its results'],
		failed: ['Failed', 'A task has ended without its results. The service refunds failed tasks.'],
		other: ['Other', 'A task has another status, if the service reports it. Once per status.'],
	}),
	default: ['completed', 'failed'],
	required: true,
});

const verify = toggle({
	displayName: 'Verify With Service',
	default: true,
	description:
		'Whether to read the task from the service before an execution starts. A callback has no signature, so anybody who knows the address could send one. Needs a credential; without one, callbacks are not verified.',
});

const callOptions = {
	dedupeWindow: presetNumber(number, [1], {
		displayName: 'De-Duplication Window (Hours)',
		default: 24,
		description: 'How long a task is remembered, so that a second callback for it starts nothing',
	}),
	families: preset(z.array(z.enum(TASK_FAMILIES)), {
		displayName: 'Only From These Task Families',
		type: 'multiOptions',
		options: toOptions([...TASK_FAMILIES].sort()),
		default: [],
		description:
			'Leave empty for all. A task of unknown family starts the workflow too, with the family null.',
	}),
	onlySigned: onIfSet({
		displayName: 'Only Signed Addresses',
		description:
			'Whether to accept calls only for tasks whose MediaGen node has this address as "Callback Base URL", a "Reference", and a credential with the same API key as this trigger: such a node signs the address. Other calls are refused without a request to the service.',
	}),
	repeatInDoubt: toggle({
		displayName: 'Repeat When in Doubt',
		default: true,
		description:
			'Whether a repeated callback starts an execution when it is not certain that the first one did, such as after a crash of n8n. If off, a result may be missed.',
	}),
};

export const properties: INodeProperties[] = [
	{
		displayName:
			'The <b>Production URL</b> under "Webhook URLs" above is the base address, once the workflow is active (published): set it as "Callback Base URL" in a MediaGen node, or send it to the service as <code>webhook</code>. The service adds /callback to it. You can add ?reference=… with a text of your own.',
		name: 'baseAddressNotice',
		type: 'notice',
		default: '',
	},
	...fieldsOf({ events, verify }),
	...outputFields,
	optionsField(
		fieldsOf({ ...resultOptions, ...callOptions }).map((field) =>
			field.name === 'fileName' ? { ...field, placeholder: 'e.g. {{ $json.reference }}' } : field,
		),
	),
];

/** A parameter that is missing or not valid gets its default. */
const lenient = <Value>(option: z.ZodType<Value, z.ZodTypeDef, unknown>) =>
	option.catch(() => option.parse(undefined));

const settings = z.object({
	events: lenient(events),
	verify: lenient(verify),
	/** Hours. */
	dedupeWindow: lenient(callOptions.dedupeWindow),
	families: lenient(callOptions.families),
	// What is neither on nor off, such as an expression that gives `yes`, must not let calls in.
	onlySigned: z.preprocess((value) => value ?? undefined, callOptions.onlySigned).catch(true),
	repeatInDoubt: lenient(callOptions.repeatInDoubt),
	taskQueryPath: lenient(taskQueryPath),
});

export type Settings = z.infer<typeof settings>;

export function readSettings(parameter: (name: string) => unknown): Settings {
	const names = Object.keys({ ...callOptions, taskQueryPath });
	return settings.parse({
		...Object.fromEntries(names.map((name) => [name, parameter(`options.${name}`)])),
		events: parameter('events'),
		verify: parameter('verify'),
	});
}
