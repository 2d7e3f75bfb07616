/** A parameter's name as a field of the API: `negativeTags` → `negative_tags`. */
export function toApiName(parameter: string): string {
	return parameter.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

const capitalized = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

/** A field of the API as a parameter's name: `credits_cost` → `creditsCost`. Linear in the length of the name. */
export function toCamelCase(apiName: string): string {
	const [first = apiName, ...rest] = apiName.split('_').filter((word) => word !== '');
	return first + rest.map(capitalized).join('');
}

export const camelCased = (fields: Readonly<Record<string, unknown>>) =>
	Object.fromEntries(Object.entries(fields).map(([name, value]) => [toCamelCase(name), value]));

/** A value of the API as a label: `lead_vocal` → `Lead Vocal`. */
export const toTitle = (value: string) => value.split(/[_-]/).map(capitalized).join(' ');

/** The order of two names of Latin letters. A language's own order is slow to load, and panels are sorted when n8n starts. */
export const compareNames = (a: string, b: string) => (a < b ? -1 : 1);
