import { OPERATIONS } from './operations';
import { type Rule, RULES } from './rules';
import type { Look } from './walk';

/** Two lists that every node with operations begins with. */
const FIRST = ['Resource', 'Operation'];

const offered = ({ offers }: Look) =>
	Object.entries(offers).flatMap(([collection, inside]) => inside.map((label) => `${collection} › ${label}`));

const isMet = ({ when }: Rule, { at }: Look) =>
	Object.entries(when).every(([label, choices]) => choices.includes(at[label] ?? ''));

/** What is wrong with one look at a node, in words. */
function judgeLook(node: string, look: Look): string[] {
	const operation = look.at.Operation ?? '';
	const rules = (RULES[node] ?? []).filter((rule) => rule.operation === operation);
	const always = [...(operation === '' ? [] : FIRST), ...(OPERATIONS[node]?.[operation] ?? [])];
	const ruled = rules.map(({ field }) => field);

	const shown = [...look.labels, ...offered(look).filter((field) => ruled.includes(field))];
	const wanted = [...always, ...rules.filter((rule) => isMet(rule, look)).map(({ field }) => field)];
	return [
		...shown.filter((field) => !wanted.includes(field)).map((field) => `shows "${field}"`),
		...wanted.filter((field) => !shown.includes(field)).map((field) => `does not show "${field}"`),
	].map((flaw) => `${node} at ${JSON.stringify(look.at)} ${flaw}`);
}

/** The fields inside collections that come and go within an operation without a rule. */
function unruled(node: string, looks: Look[]): string[] {
	const operations = [...new Set(looks.map(({ at }) => at.Operation ?? ''))];
	return operations.flatMap((operation) => {
		const within = looks.filter(({ at }) => (at.Operation ?? '') === operation).map(offered);
		const sometimes = new Set(within.flat().filter((field) => !within.every((fields) => fields.includes(field))));
		const ruled = (RULES[node] ?? []).filter((rule) => rule.operation === operation).map(({ field }) => field);
		return [...sometimes].filter((field) => !ruled.includes(field)).map((field) => `${node} ${operation} has "${field}" only at times`);
	});
}

/** Holds what a panel is going to show against the tables of operations and rules: gives what does not fit, in words. */
export function judge(node: string, looks: Look[]): string[] {
	const operations = new Set(looks.map(({ at }) => at.Operation ?? ''));
	const absent = Object.keys(OPERATIONS[node] ?? {}).filter((operation) => !operations.has(operation));
	return [
		...absent.map((operation) => `${node} has no operation "${operation}"`),
		...looks.flatMap((look) => judgeLook(node, look)),
		...unruled(node, looks),
	];
}
