import { z } from 'zod/v3';

const conditions = z.record(z.array(z.unknown())).default({});

const choice = z.object({ name: z.string(), value: z.unknown(), action: z.string().optional() });

const property = z.object({
	displayName: z.string(),
	name: z.string(),
	type: z.string(),
	default: z.unknown(),
	displayOptions: z.object({ show: conditions, hide: conditions }).default({}),
	options: z.array(z.unknown()).default([]),
});

/** An entry of a list. */
export interface Choice {
	name: string;
	value: unknown;
	/** What the nodes panel calls it, of an operation. */
	action?: string;
}

/** A field of a panel, as n8n describes it to its editor. */
export interface Field extends Omit<z.infer<typeof property>, 'options'> {
	/** What a list offers. */
	choices: Choice[];
	/** What a collection offers. */
	inside: Field[];
}

/** n8n puts it into every list of operations; it only points to another node. */
const CUSTOM_CALL = '__CUSTOM_API_CALL__';

function readField(given: unknown): Field {
	const { options, ...field } = property.parse(given);
	const choices = field.type === 'options' ? options.map((option): Choice => ({ value: undefined, ...choice.parse(option) })) : [];
	return {
		...field,
		choices: choices.filter(({ value }) => value !== CUSTOM_CALL),
		inside: field.type === 'collection' ? options.map(readField) : [],
	};
}

/** The fields of a node, out of the `properties` that n8n serves. */
export function readFields(properties: unknown): Field[] {
	return z.array(z.unknown()).parse(properties).map(readField);
}

/** What the nodes panel calls the operation that a node has by default; nothing for a node without operations. */
export function defaultAction(fields: readonly Field[]): string | undefined {
	const operation = fields.find(({ name }) => name === 'operation');
	return operation?.choices.find(({ value }) => value === operation.default)?.action;
}
