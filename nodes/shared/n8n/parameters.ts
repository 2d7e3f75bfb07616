import type {
	IExecuteFunctions,
	INode,
	INodeProperties,
	ISupplyDataFunctions,
	NodeOperationError,
} from 'n8n-workflow';

import { NOTHING_SENT } from '../api/errors';
import { isBlank, isObject, jsonForm, jsonObject, objectOf } from '../util/json';
import { toApiName, toCamelCase } from '../util/names';
import { toId } from '../util/schema';
import type { z } from '../util/vendor/zod';
import { PendingUpload } from './binary';
import { itemError } from './nodeErrors';
import { additionalBodyFieldsField } from './options';

/** The values of parameters by name: collections flattened, everything unset left out. */
export type ParameterValues = Record<string, unknown>;

/** Whether a value counts as set. `0` and `false` do. */
export function isSet(given: unknown): boolean {
	const value = jsonForm(given);
	if (value === undefined || value === null || value === '') return false;
	if (Array.isArray(value)) return value.length > 0;
	return !isObject(value) || Object.keys(value).length > 0;
}

/** A cell of a sheet may hold a blank. */
export const isGiven = (value: unknown) => isSet(value) && !isBlank(value);

/** The value in a form that can be cleaned and renamed, by the type of the field that holds it. */
function plainValue(type: string | undefined, value: unknown): unknown {
	// A fixed collection arrives as `{ group: [ … ] }`, or as `{ group: { … } }` where it cannot repeat.
	if (type === 'fixedCollection') return isObject(value) ? Object.values(value)[0] : value;
	// The object in a JSON field is the user's own: as text it is neither renamed nor cleaned.
	if (type === 'json') return isObject(value) ? JSON.stringify(value) : value;
	// A resource locator keeps the mode beside the value. A word of a list, a name or an ID has no blanks around it.
	if (type === 'resourceLocator') return toId(isObject(value) ? value.value : value);
	if (type === 'options') return toId(value);
	return value;
}

/** The fields in a collection, or in the groups of a fixed one. */
const innerFields = ({ options = [] }: INodeProperties): INodeProperties[] =>
	options.flatMap((option) =>
		'values' in option ? option.values : 'type' in option ? [option] : [],
	);

/** The values of a collection, or of a group in a fixed one, by the fields that it can have. */
function readGroup(
	fields: readonly INodeProperties[],
	value: Record<string, unknown>,
): ParameterValues {
	const known = new Map(fields.map((field) => [field.name, field]));
	return Object.fromEntries(
		Object.entries(value)
			.map(([name, inner]) => [name, readValue(known.get(name), inner)] as const)
			.filter(([, inner]) => isGiven(inner)),
	);
}

/** A value as it is sent. What the panel leaves empty is left out; the inside of a value is the user's own. */
function readValue(field: INodeProperties | undefined, given: unknown): unknown {
	const value = plainValue(field?.type, jsonForm(given));
	if (field?.type !== 'fixedCollection') return value;
	const fields = innerFields(field);
	const group = (inner: unknown) => (isObject(inner) ? readGroup(fields, inner) : inner);
	return Array.isArray(value) ? value.map(group).filter(isSet) : group(value);
}

/** An item whose fields are read: its errors name the field and the item. */
interface PanelItem {
	context: { getNode(): INode };
	fields: readonly INodeProperties[];
	/** Absent where the fields are those of all items. */
	itemIndex?: number;
}

/** What a node has in common with a sub-node. */
type ParameterContext = Pick<ISupplyDataFunctions, 'getNode' | 'getNodeParameter'>;

export interface ExecutedItem extends PanelItem {
	context: IExecuteFunctions;
	itemIndex: number;
}

/** Reads the fields of one item. Hidden, unset and empty fields are left out, so that only what the user set is sent. */
export function readParameters({ context, fields, itemIndex }: ExecutedItem): ParameterValues {
	const values: ParameterValues = {};
	for (const field of fields) {
		if (field.type === 'notice') continue;
		const value: unknown = context.getNodeParameter(field.name, itemIndex, null);
		if (field.type === 'collection') {
			if (isObject(value)) Object.assign(values, readGroup(innerFields(field), value));
		} else {
			const read = readValue(field, value);
			if (isGiven(read)) values[field.name] = read;
		}
	}
	return values;
}

export function toApiNames(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(toApiNames);
	if (!isObject(value) || value instanceof PendingUpload) return value;
	return Object.fromEntries(
		Object.entries(value).map(([name, inner]) => [toApiName(name), toApiNames(inner)]),
	);
}

/** The label of a field of the API: of one inside a collection rather than of the collection itself. */
function labelIn(fields: readonly INodeProperties[], apiName: string): string | undefined {
	for (const field of fields) {
		const own = toApiName(field.name) === apiName ? field.displayName : undefined;
		const label = labelIn(innerFields(field), apiName) ?? own;
		if (label !== undefined) return label;
	}
	return undefined;
}

/** The label of a field by its name in the panel or in the API; that name where it has none. */
export const labelOf = (fields: readonly INodeProperties[], name: string) =>
	labelIn(fields, toApiName(name)) ?? name;

/** Whether the user gave an expression for the field at this place among the node's parameters. */
export function isExpression(
	{ parameters }: INode,
	place: ReadonlyArray<string | number>,
): boolean {
	let given: unknown = parameters;
	for (const step of place)
		given = Array.isArray(given) ? given[Number(step)] : objectOf(given)[step];
	return typeof given === 'string' && given.startsWith('=');
}

/** Notes for parameters that are set and not sent, for a `reason` such as `"Images" is None`. Where no expression decides, n8n removes them. */
export function unsentNotes(
	fields: readonly INodeProperties[],
	values: ParameterValues,
	names: readonly string[],
	reason: string,
): string[] {
	const set = names.filter((name) => values[name] !== undefined);
	return set.map((name) => `"${labelOf(fields, name)}" is set and was not sent: ${reason}`);
}

/**
 * Notes for open values that are sent although this package does not know them.
 *
 * @param known the values that it knows, by their fields in the API
 * @param words the word for a field in a note, if it is not its name
 */
export function unlistedNotes(
	body: Record<string, unknown>,
	known: Readonly<Record<string, readonly string[]>>,
	words: Readonly<Record<string, string>> = {},
): string[] {
	return Object.entries(known).flatMap(([name, values]) => {
		const value = body[name];
		if (typeof value !== 'string' || values.includes(value)) return [];
		const word = words[name] ?? name.replaceAll('_', ' ');
		return [`The ${word} "${value}" is not in this package's list: it is sent as it is`];
	});
}

/** Where a value stands, in labels. A list that only the request has, and the number in it, mean nothing to the user. */
function placeOf(fields: readonly INodeProperties[], path: ReadonlyArray<string | number>): string {
	const labels = path.map((step) => labelIn(fields, toApiName(String(step))));
	const known = path.flatMap(
		(step, at) => (typeof step === 'number' ? labels[at - 1] && step + 1 : labels[at]) ?? [],
	);
	return (known.length > 0 ? known : path).join(' › ');
}

const REQUIRED = 'is required';

const NO_VALUE = `${REQUIRED}: its expression is empty`;

/** Fields whose default is a field of the item. */
const OF_AN_ITEM = ['taskId', 'index'];

/** Where the parameter of a field can stand. */
const COLLECTIONS = [[], ['additionalFields'], ['options']];

/** The error for values that break rules. It names the fields by their labels, and the item. */
export function validationError(
	{ context, fields, itemIndex }: PanelItem,
	issues: ReadonlyArray<Pick<z.ZodIssue, 'path' | 'message'>>,
	hint?: string,
): NodeOperationError {
	const node = context.getNode();
	const sentences = issues.map(({ path, message }) => {
		const name = toCamelCase(String(path[0]));
		// The editor shows the value of an expression in the first item only.
		const isOfExpression = () =>
			path.length === 1 && COLLECTIONS.some((place) => isExpression(node, [...place, name]));
		const words = message === REQUIRED && isOfExpression() ? NO_VALUE : message;
		return `"${placeOf(fields, path)}" ${words}`;
	});
	const others = sentences.slice(1).map((sentence) => `${sentence}.`);
	// Where such a value can come from, if the item has none.
	const missing = sentences[0]?.endsWith(NO_VALUE) ? toCamelCase(String(issues[0]?.path[0])) : '';
	const source = OF_AN_ITEM.includes(missing) && fields.find(({ name }) => name === missing);
	const end = [NOTHING_SENT, source && source.description].filter(Boolean).join(' ');
	// n8n shows it in one line.
	const description = [...others, ...(hint === undefined ? [] : [hint]), end].join('\n');
	return itemError(node, sentences[0] ?? '', itemIndex, description);
}

/** The error for one field of an item, by its name in the panel or in the API. */
export const refusal = (item: PanelItem, name: string, message: string) =>
	validationError(item, [{ path: [toApiName(name)], message }]);

/** Reads one field by its schema. Throws a `NodeOperationError` that names it. */
export function parseField<Value>(
	item: PanelItem,
	name: string,
	schema: z.ZodType<Value, z.ZodTypeDef, unknown>,
	value: unknown,
): Value {
	const read = schema.safeParse(value);
	if (read.success) return read.data;
	throw refusal(item, name, read.error.issues[0]?.message ?? '');
}

/** Refuses a field, at this place among the parameters, whose expression is empty: the rest would be bought without what the user wanted. */
export function requireExpressions(
	item: PanelItem,
	values: ParameterValues,
	names: readonly string[],
	place: ReadonlyArray<string | number> = [],
): void {
	const node = item.context.getNode();
	const empty = names.find((name) => isBlank(values[name]) && isExpression(node, [...place, name]));
	if (empty !== undefined) throw refusal(item, empty, NO_VALUE);
}

/** Reads parameters of one item by a schema of the same names. Throws a `NodeOperationError` that names the field. */
export function parseParameters<Shape extends z.ZodRawShape>(
	item: PanelItem & { context: ParameterContext; itemIndex: number },
	schema: z.ZodObject<Shape>,
): z.infer<z.ZodObject<Shape>> {
	const { context, itemIndex } = item;
	const names = Object.keys(schema.shape);
	const given = names.map((name) => [name, context.getNodeParameter(name, itemIndex, '')] as const);
	const read = schema.safeParse(Object.fromEntries(given));
	if (read.success) return read.data;
	throw validationError(item, read.error.issues);
}

export const setByNode = (name: string) => `must not have the field "${name}": the node sets it`;

const additionalBody = jsonObject('must be a JSON object, e.g. {"seed": 7}');

/** Reads "Additional Body Fields" of one item. Throws a `NodeOperationError` for anything but a JSON object. */
export function readAdditionalBody(
	context: ParameterContext,
	itemIndex: number,
	refused: readonly string[],
): Record<string, unknown> {
	const { name } = additionalBodyFieldsField;
	const item = { context, fields: [additionalBodyFieldsField], itemIndex };
	const given: unknown = context.getNodeParameter(`options.${name}`, itemIndex, '');
	requireExpressions(item, { [name]: given }, [name], ['options']);
	if (isBlank(given)) return {};
	const body = parseField(item, name, additionalBody, given);
	const own = refused.find((field) => field in body);
	if (own !== undefined) throw refusal(item, name, setByNode(own));
	return body;
}
