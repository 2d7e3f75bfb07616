import type { IDataObject, IExecuteFunctions, INode } from 'n8n-workflow';

import { objectOf } from '../util/json';
import { z } from '../util/vendor/zod';
import {
	commonOptions,
	DEFAULT_TIMEOUT,
	fieldsOf,
	fileOptions,
	type Options,
	outputOptions,
	reuseOptions,
	type RunOptions,
	runOptions,
} from './options';
import { isExpression, isSet, validationError } from './parameters';

/** The part of an n8n context that reads parameters. A webhook's context takes no item index. */
interface ParameterSource {
	getNode(): INode;
	getParameter(name: string): unknown;
}

export const firstItemOf = (context: IExecuteFunctions): ParameterSource => ({
	getNode: () => context.getNode(),
	getParameter: (name) => context.getNodeParameter(name, 0, null),
});

/** Whether n8n runs the node as a tool of an AI agent: such a node has a type of its own. */
export const isTool = ({ type }: INode) => type.endsWith('Tool');

/** Whether failed items come out with their errors. n8n shows no "On Error" at a tool, whose agent must learn what it has bought. */
export const goesOn = (context: { continueOnFail(): boolean; getNode(): INode }): boolean =>
	context.continueOnFail() || (isTool(context.getNode()) && !context.getNode().retryOnFail);

/** Reads the options that the user set, and the defaults of the others. Throws a `NodeOperationError` that names the option. */
export function parseOptions<Shape extends Options>(
	context: { getNode(): INode },
	options: z.ZodObject<Shape>,
	given: unknown,
	itemIndex?: number,
): z.infer<z.ZodObject<Shape>> {
	const set = Object.entries(objectOf(given)).filter(([, value]) => isSet(value));
	const read = options.safeParse(Object.fromEntries(set));
	if (read.success) return read.data;
	const panel = { context, fields: fieldsOf(options.shape), itemIndex };
	throw validationError(panel, read.error.issues.slice(0, 1));
}

const TOP_LEVEL = ['waitMode', ...Object.keys(outputOptions)];

const placeOf = (name: string) => (TOP_LEVEL.includes(name) ? [name] : ['options', name]);

/** Reads options that all items share, one by one: others may have expressions that only an item can evaluate. Throws as `parseOptions`. */
export function readSharedOptions<Shape extends Options>(
	source: ParameterSource,
	options: z.ZodObject<Shape>,
) {
	const names = Object.keys(options.shape);
	const given = names.map((name) => [name, source.getParameter(placeOf(name).join('.'))]);
	return parseOptions(source, options, Object.fromEntries(given));
}

/** The parameters that make a request, as the user gave them: expressions as their text. */
export function requestParameters({ parameters }: INode): unknown {
	const { options, ...others }: Record<string, unknown> = parameters;
	const request = Object.entries(others).filter(([name]) => !TOP_LEVEL.includes(name));
	return [request, objectOf(options).additionalBodyFields];
}

/** Reads the options of a node that deals with tasks. Throws as `parseOptions`. */
export function readRunOptions(source: ParameterSource): RunOptions {
	const options = readSharedOptions(source, runOptions);
	const { downloadFiles, waitMode, timeout } = options;
	return {
		...options,
		downloadFiles: downloadFiles && waitMode !== 'none' && !isTool(source.getNode()),
		timeout: timeout ?? DEFAULT_TIMEOUT[waitMode],
	};
}

/** The values of options that expressions give, by their names. A paused node cannot evaluate them again: its rows have become tasks. */
export function evaluatedOptions(source: ParameterSource): Record<string, unknown> {
	const node = source.getNode();
	const places = Object.keys(runOptions.shape).map(placeOf);
	const names = places.filter((place) => isExpression(node, place)).map((place) => place.join('.'));
	return Object.fromEntries(names.map((name) => [name, source.getParameter(name)]));
}

const itemOptions = z
	.object({ fileName: fileOptions.fileName, reference: commonOptions.reference })
	.catch({});

export interface ItemOptions extends z.infer<typeof itemOptions> {
	/** At the trigger: whether a node with the same API key wrote the reference into the address. */
	referenceVerified?: boolean;
	/** JSON of the input item, if it is to come out. */
	input?: IDataObject;
	/** The same for the same request in any execution: see `purchaseKey`. */
	purchaseKey?: string;
	reused?: boolean;
}

export const itemReuse = z.object(reuseOptions).omit({ whenFilesAreGone: true });

export const readItemOptions = (collection: unknown, input?: IDataObject): ItemOptions => ({
	...itemOptions.parse(collection),
	input,
});

/** The options of an item that failed before they were read, as far as they can be read. */
export function optionsOfFailedItem(context: IExecuteFunctions, itemIndex: number): ItemOptions {
	try {
		const collection: unknown = context.getNodeParameter('options', itemIndex, {});
		const { includeInput } = objectOf(collection);
		const includesInput = commonOptions.includeInput.catch(false).parse(includeInput);
		const input = includesInput ? context.getInputData()[itemIndex]?.json : undefined;
		return readItemOptions(collection, input);
	} catch {
		// The item's own error reports an expression that fails, or it does not matter to the item.
		return {};
	}
}
