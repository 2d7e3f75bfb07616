import type { Field } from './fields';
import { conditionsOf, offerConditionsOf, offeredBy, type Panel, panelOf, type Values } from './shown';

/** What a panel has to show at one moment. */
export interface Look {
	/** What each list and switch that others depend on is set to, by its label. */
	at: Record<string, string>;
	/** The labels of all fields, from top to bottom. */
	labels: string[];
	/** What each collection offers whose offer depends on the fields around it. */
	offers: Record<string, string[]>;
}

/** One thing that a person changes in a panel. */
export interface Step {
	/** The parameter's name. */
	name: string;
	/** What its list shows, or `on` and `off`. */
	to: string;
	look: Look;
}

/** A way through a panel. */
export interface Walk {
	start: Look;
	steps: Step[];
	/** Fields on the panel that it never sees, or never without, though that could be. */
	missed: string[];
}

const dependenciesOf = (field: Field) => [...conditionsOf(field), ...offerConditionsOf(field)];

const labelOf = ({ displayName }: Field) => displayName;

const choicesOf = ({ type, choices }: Field) =>
	type === 'boolean' ? [{ name: 'on', value: true }, { name: 'off', value: false }] : choices;

/** What n8n keeps when something else is chosen: what differs from the defaults, of the fields that are shown. */
const keptFrom = ({ fields, values }: Panel): Values =>
	Object.fromEntries(
		fields.filter((field) => values[field.name] !== field.default).map(({ name }) => [name, values[name]]),
	);

/**
 * Plans a way through a panel, from its defaults, on which every field that others depend on takes each of its values, and
 * has its first one again at the end. Where a value brings up new fields, those on which they depend are gone through there
 * as well.
 */
export function planWalk(all: readonly Field[]): Walk {
	const deciding = new Set(all.flatMap(dependenciesOf));
	const decides = (field: Field) => deciding.has(field.name) && choicesOf(field).length > 1;
	const steps: Step[] = [];
	const panels: Panel[] = [];

	function lookOf({ fields, values }: Panel): Look {
		const settingOf = (field: Field) => choicesOf(field).find(({ value }) => value === values[field.name])?.name ?? '';
		const varying = fields.filter((field) => offerConditionsOf(field).length > 0);
		return {
			at: Object.fromEntries(fields.filter(({ name }) => deciding.has(name)).map((field) => [field.displayName, settingOf(field)])),
			labels: fields.filter(({ type }) => type !== 'notice').map(labelOf),
			offers: Object.fromEntries(varying.map((field) => [field.displayName, offeredBy(field, values).map(labelOf)])),
		};
	}

	/** `settled`: fields whose values are gone through further up. */
	function visit(panel: Panel, settled: readonly Field[]): void {
		panels.push(panel);
		const done = new Set(settled);
		for (const field of panel.fields.filter((shown) => decides(shown) && !settled.includes(shown))) {
			done.add(field);
			const isCurrent = ({ value }: { value: unknown }) => value === panel.values[field.name];
			for (const choice of [...choicesOf(field)].sort((a, b) => Number(isCurrent(a)) - Number(isCurrent(b)))) {
				const next = panelOf(all, { ...keptFrom(panel), [field.name]: choice.value });
				steps.push({ name: field.name, to: choice.name, look: lookOf(next) });
				if (isCurrent(choice)) continue;
				const concerned = new Set(next.fields.filter((shown) => !panel.fields.includes(shown)).flatMap(dependenciesOf));
				visit(next, [...done, ...panel.fields.filter(({ name }) => !concerned.has(name))]);
			}
		}
	}

	const first = panelOf(all, {});
	visit(first, []);
	return { start: lookOf(first), steps, missed: missedBy(panels, all, decides).map(labelOf) };
}

function missedBy(panels: readonly Panel[], all: readonly Field[], decides: (field: Field) => boolean): Field[] {
	const choosable = new Set(all.filter(decides).map(({ name }) => name));
	const inside = all.flatMap((field) => field.inside).filter((field) => conditionsOf(field).every((name) => name.startsWith('/')));
	const seen = panels.map(({ fields, values }) => new Set([...fields, ...fields.flatMap((field) => offeredBy(field, values))]));
	return [...all, ...inside].filter((field) => {
		const views = seen.filter((shown) => shown.has(field)).length;
		const canHide = conditionsOf(field).some((name) => choosable.has(name.replace('/', '')));
		return views === 0 || (canHide && views === seen.length);
	});
}
