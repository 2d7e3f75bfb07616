import type {
	IDisplayOptions,
	INodeListSearchResult,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';

import { compareNames, toTitle } from '../util/names';

const RATIO_NAMES: Readonly<Record<string, string>> = {
	'1:1': 'Square (1:1)',
	'16:9': 'Widescreen (16:9)',
	'9:16': 'Portrait (9:16)',
};

export function toOptions<const Value extends string>(
	values: readonly Value[],
	descriptions: Partial<Record<Value, string>> = {},
	names: Partial<Record<Value, string>> = {},
): INodePropertyOptions[] {
	return values.map((value) => ({
		name: names[value] ?? RATIO_NAMES[value] ?? toTitle(value),
		value,
		description: descriptions[value],
	}));
}

/** What a list offers, in its order: for each value its name and, if it needs one, a description, and where it is offered. */
export type Choices<Value extends string = string> = Readonly<
	Record<Value, readonly [name: string, description?: string, displayOptions?: IDisplayOptions]>
>;

export const optionsOf = (choices: Choices): INodePropertyOptions[] =>
	Object.entries(choices).map(([value, [name, description, displayOptions]]) => ({
		...{ name, value, description },
		...(displayOptions && { displayOptions }),
	}));

/** The default of a number that is sent only if it is set. n8n 1.123 turns an empty text into the smallest number when the panel opens. */
export const NOT_SET = null;

export const NOT_SENT = {
	name: 'Default',
	value: '',
	description: 'Not sent: the service decides',
};

type GivenField = Omit<INodeProperties, 'type' | 'default'> & Partial<INodeProperties>;

export const textField = (field: GivenField): INodeProperties => ({
	type: 'string',
	default: '',
	...field,
});

/** A list to choose from: it begins with its first option, unless it has another default. */
export const listField = (
	field: GivenField & { options: INodePropertyOptions[] },
): INodeProperties => ({
	type: 'options',
	default: field.options[0]?.value,
	...field,
});

/** A list of rows with the same fields. `row` is the label of one. */
export const rowsField = ({
	row,
	values,
	...field
}: GivenField & { row: string; values: INodeProperties[] }): INodeProperties => ({
	type: 'fixedCollection',
	typeOptions: { multipleValues: true, multipleValueButtonText: `Add ${row}` },
	placeholder: `Add ${row}`,
	default: {},
	...field,
	options: [{ displayName: row, name: row.toLowerCase(), values }],
});

export const taskIdField = (description: string, incoming = '={{ $json.taskId }}') =>
	textField({
		displayName: 'Task ID',
		name: 'taskId',
		required: true,
		default: incoming,
		description,
	});

export const promptField = (field: Partial<INodeProperties>) =>
	textField({ displayName: 'Prompt', name: 'prompt', typeOptions: { rows: 3 }, ...field });

/** A collection of fields, in alphabetical order. */
export const collectionOf =
	(displayName: string, name: string, placeholder: string) =>
	(fields: readonly INodeProperties[]): INodeProperties => ({
		displayName,
		name,
		type: 'collection',
		placeholder,
		default: {},
		options: [...fields].sort((a, b) => compareNames(a.displayName, b.displayName)),
	});

export const additionalFieldsOf = collectionOf(
	'Additional Fields',
	'additionalFields',
	'Add Field',
);

export interface ListedValue {
	name: string;
	value: string;
}

export const listed = (values: readonly string[]): ListedValue[] =>
	values.map((value) => ({ name: value, value }));

type OpenValueField = Omit<INodeProperties, 'type' | 'default'> & {
	/** The value that a new node has; none by default. */
	preset?: ListedValue;
	searchListMethod: string;
	placeholder: string;
};

/** A field with a list and a typed alternative: the service may have more values than this package knows. An expression may give plain text. */
export function openValueField(given: OpenValueField): INodeProperties {
	const { preset = { name: '', value: '' }, searchListMethod, placeholder, ...field } = given;
	return {
		...field,
		type: 'resourceLocator',
		default: { mode: 'list', value: preset.value, cachedResultName: preset.name },
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				typeOptions: { searchListMethod, searchable: true },
			},
			{ displayName: 'By ID', name: 'id', type: 'string', placeholder },
		],
	};
}

export function matchingValues(values: readonly ListedValue[], filter = ''): INodeListSearchResult {
	const isMatch = ({ name, value }: ListedValue) =>
		`${name} ${value}`.toLowerCase().includes(filter.toLowerCase());
	return { results: values.filter(isMatch) };
}

/** The search method of an open field whose values this package knows. Needs no request. */
export const searchListed = (values: readonly ListedValue[]) => async (filter?: string) =>
	await Promise.resolve(matchingValues(values, filter));
