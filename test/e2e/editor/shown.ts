import type { Field } from './fields';

/** What is chosen in a panel, by the parameter's name. */
export type Values = Readonly<Record<string, unknown>>;

/** A field is shown where each condition of its `show` is met, and none of its `hide`. */
function isShown({ displayOptions: { show, hide } }: Field, values: Values): boolean {
	const isMet = ([name, wanted]: [string, unknown[]]) => wanted.includes(values[name]);
	return Object.entries(show).every(isMet) && !Object.entries(hide).some(isMet);
}

/** The names of the parameters on which it depends whether a field is shown. */
export function conditionsOf({ displayOptions: { show, hide } }: Field): string[] {
	return [...Object.keys(show), ...Object.keys(hide)];
}

/** What a panel shows, and the values of all that it shows. */
export interface Panel {
	fields: Field[];
	values: Values;
}

/** The fields that a panel shows, from top to bottom; what nobody has chosen has the default of the field that is shown. */
export function panelOf(all: readonly Field[], chosen: Values): Panel {
	return all.reduce<Panel>(
		({ fields, values }, field) =>
			isShown(field, values)
				? { fields: [...fields, field], values: { [field.name]: field.default, ...values } }
				: { fields, values },
		{ fields: [], values: chosen },
	);
}

/** What an empty collection offers. Its fields speak of the panel with a slash, of one another without. */
export function offeredBy(collection: Field, values: Values): Field[] {
	const around = Object.fromEntries(Object.entries(values).map(([name, value]) => [`/${name}`, value]));
	return collection.inside.filter((field) => isShown(field, around));
}

/** The names of the panel's parameters on which it depends what a collection offers. */
export function offerConditionsOf(collection: Field): string[] {
	return collection.inside
		.flatMap(conditionsOf)
		.filter((name) => name.startsWith('/'))
		.map((name) => name.slice(1));
}
