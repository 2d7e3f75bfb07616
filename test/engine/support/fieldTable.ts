import type {
	INodeParameters,
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';

import { nodeOf } from '../../support/node';
import { inputOf, operationOf, OPERATIONS, PARENT, runnerOf } from './operations';
import { submissions, type SandboxOfTests } from './sandbox';

/** One field of one operation: how the panel sets it, and what the request then carries. */
export interface Row {
	/** Where the panel has it: `prompt`, `additionalFields.title`, `multiPrompt.shot.duration`. */
	field: string;
	/** Parameters with the field set. */
	set: Record<string, unknown>;
	/** The same without it; `undefined` where the operation cannot do without. */
	unset?: Record<string, unknown>;
	/** The field of the API, and the JSON value that it has in the request. */
	api: string;
	sent: unknown;
	/** Other fields are shown by its value: it is not tried as an expression. */
	literal?: boolean;
}

type Given = Record<string, unknown>;

type MakeRow = (field: string, value: unknown, api: string, sent?: unknown, given?: Given) => Row;

/** A field at top level that the operation cannot do without. */
export const needed: MakeRow = (field, value, api, sent = value, given = {}) => ({
	...{ field, set: { ...given, [field]: value }, api, sent },
});

/** A field at top level. Emptied, it is not sent. */
export const top: MakeRow = (field, value, api, sent = value, given = {}) => ({
	...needed(field, value, api, sent, given),
	unset: { ...given, [field]: '' },
});

/** A field of the collection "Additional Fields". */
export const extra: MakeRow = (field, value, api, sent = value, given = {}) => ({
	...needed('additionalFields', { [field]: value }, api, sent, given),
	field: `additionalFields.${field}`,
	unset: given,
});

type Field = INodeProperties | INodePropertyOptions | INodePropertyCollection;

const isProperty = (field: Field): field is INodeProperties => 'type' in field;

function inner(field: Field): readonly Field[] {
	if ('values' in field) return field.values;
	if (!isProperty(field)) return [];
	return field.type === 'collection' || field.type === 'fixedCollection'
		? (field.options ?? [])
		: [];
}

const node = ({ name }: INodeTypeDescription, parameters: INodeParameters) =>
	nodeOf('Node', { type: name, parameters });

/** The parameters as n8n completes them: with the defaults of every field that is shown. */
export function completed(type: INodeType, parameters: Given): INodeParameters {
	const given = parameters as INodeParameters;
	const { description } = type;
	return (
		NodeHelpers.getNodeParameters(
			description.properties,
			given,
			true,
			false,
			node(description, given),
			description,
		) ?? {}
	);
}

/** What a collection, or the first item of a group, holds. */
function within(values: INodeParameters, name: string): INodeParameters {
	const value = values[name];
	const first = Array.isArray(value) ? value[0] : value;
	return typeof first === 'object' && first !== null ? (first as INodeParameters) : {};
}

/** Whether the panel shows the field at `path`, with the given parameters. */
export function isShown(type: INodeType, parameters: Given, path: string): boolean {
	const { description } = type;
	const root = completed(type, parameters);
	const holder = node(description, root);
	const steps = path.split('.');

	function shown(
		fields: readonly Field[],
		[name, ...rest]: string[],
		values: INodeParameters,
	): boolean {
		return fields
			.filter((field) => field.name === name)
			.some((field) => {
				if (
					isProperty(field) &&
					!NodeHelpers.displayParameter(values, field, holder, description, root)
				)
					return false;
				if (rest.length === 0) return true;
				return shown(inner(field), rest, within(values, field.name));
			});
	}
	return shown(description.properties, steps, root);
}

/** Fields of every operation that buys a task. */
const SHARED_FIELDS = ['options', 'waitMode', 'output', 'downloadFiles'];

/** Every field that belongs to an operation, whatever hides it, as a path. */
export function fieldsOf(type: INodeType, operation: string): string[] {
	const leaves = (field: Field, prefix: string): string[] => {
		const path = prefix === '' ? field.name : `${prefix}.${field.name}`;
		const within = inner(field);
		return within.length === 0 ? [path] : within.flatMap((each) => leaves(each, path));
	};
	const own = type.description.properties.filter(({ displayOptions }) =>
		displayOptions?.show?.operation?.includes(operation),
	);
	const paths = own
		.filter(({ name }) => !SHARED_FIELDS.includes(name))
		.flatMap((field) => leaves(field, ''));
	return [...new Set(paths)];
}

/** The same parameters with the row's value as the result of an expression, as text where it is a number or a boolean. */
export function asExpression(value: unknown): unknown {
	if (typeof value === 'number' || typeof value === 'boolean') return `={{ "${String(value)}" }}`;
	return typeof value === 'string' && !value.startsWith('=')
		? `={{ ${JSON.stringify(value)} }}`
		: undefined;
}

/** A row whose value comes out of an expression; `undefined` where the value is not a single one. */
export function withExpression({ set, field, ...row }: Row): Row | undefined {
	const [name = '', option] = field.split('.');
	const holder = option === undefined ? set : (set[name] as Given);
	const key = option ?? name;
	const expression = asExpression(holder[key]);
	if (expression === undefined || field.split('.').length > 2) return undefined;
	const changed = { ...holder, [key]: expression };
	return { ...row, field, set: option === undefined ? changed : { ...set, [name]: changed } };
}

/** The fields of an operation by its section of the spec, and the rows that set them. */
export interface FieldTable {
	spec?: readonly string[];
	rows?: readonly Row[];
	/** Fields of the panel that are no field of the request: tests of their own set them. */
	others?: readonly string[];
}

/** What stands in rows for the id of an earlier task, and for what else is known only while a test runs. */
export type StandIns = Record<string, unknown>;

/**
 * Tests of every field of a node's operations: an operation without a table fails, a field of the panel without a row fails, a field of
 * the spec that the panel lacks fails, and each row is shown, sent, read by the sandbox, and absent when unset.
 *
 * @param tables by the names of the table of operations: all of one node
 * @param standInsOf makes the earlier task of a row
 */
export function testFields(
	service: SandboxOfTests,
	tables: Record<string, FieldTable>,
	standInsOf: (name: string, row: Row) => StandIns | Promise<StandIns> = () => ({}),
): void {
	test('every operation of the node has a table', () => {
		const families = new Set(Object.keys(tables).map((name) => operationOf(name).family));
		const own = OPERATIONS.filter(
			({ family, resource }) => families.has(family) && resource !== 'task',
		).map(({ family, operation }) => `${family}.${operation}`);
		expect(Object.keys(tables).sort()).toEqual(own.sort());
	});

	test.each(Object.entries(tables))(
		'%s: the table has every field of the panel, and the panel every field of the spec',
		(name, { rows = [], spec = [], others = [] }) => {
			const { node, operation } = operationOf(name);
			const fields = [...new Set([...rows.map(({ field }) => field), ...others])];
			expect(fields.sort()).toEqual(fieldsOf(node, operation).sort());
			expect([...new Set(rows.map(({ api }) => api))].sort()).toEqual([...spec].sort());
		},
	);

	const rows = Object.entries(tables).flatMap(([name, table]) =>
		(table.rows ?? []).map((row) => [name, row.field, row] as const),
	);
	if (rows.length === 0) return;

	test.each(rows)(
		'%s › %s: shown, sent under its name and type, taken, and absent when unset',
		async (name, field, row) => {
			const standIns = await standInsOf(name, row);
			const real = (value: unknown) =>
				typeof value === 'string' && value in standIns ? standIns[value] : value;
			const run = async (given: Given) => {
				const { parameters } = inputOf(name, given as INodeParameters);
				const filled = Object.entries(parameters).map(([key, value]) => [key, real(value)]);
				const result = await runnerOf(service)(name, {
					...(Object.fromEntries(filled) as INodeParameters),
					waitMode: 'none',
				});
				expect(result.error).toBeUndefined();
				return submissions(service.sandbox).map(({ body }) => body as Given);
			};
			const { node, parameters } = inputOf(name, row.set as INodeParameters);
			expect(isShown(node, parameters, field)).toBe(true);

			service.sandbox.requests.clear();
			const typed = row.literal || real(row.sent) !== row.sent ? undefined : withExpression(row);
			const sent = await run(row.set);
			if (typed) sent.push(...(await run(typed.set)).slice(1));
			expect(sent).toHaveLength(typed ? 2 : 1);
			for (const body of sent) expect(body[row.api]).toStrictEqual(real(row.sent));
			const path = operationOf(name).path?.replace(PARENT, String(real(PARENT)));
			expect(submissions(service.sandbox)[0]?.path).toBe(path);
			expect(service.sandbox.tasks.list().flatMap(({ ignored }) => ignored)).not.toContain(row.api);

			if (row.unset === undefined) return;
			service.sandbox.requests.clear();
			const without = await run(row.unset);
			expect(without).toHaveLength(1);
			expect(without[0]).not.toHaveProperty(row.api);
		},
	);
}

/** What the panel of a node shows, in its order. */
export function fieldsShown(type: INodeType, parameters: Given): INodeProperties[] {
	const { description } = type;
	const values = completed(type, parameters);
	const holder = node(description, values);
	return description.properties
		.filter((field) => NodeHelpers.displayParameter(values, field, holder, description))
		.filter((field) => field.type !== 'hidden');
}

export const labelsShown = (type: INodeType, parameters: Given): string[] =>
	fieldsShown(type, parameters).map(({ displayName }) => displayName);
