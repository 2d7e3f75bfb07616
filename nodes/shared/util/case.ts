/** A parameter's name as a field of the API: `negativeTags` → `negative_tags`. */
export function toApiName(parameter: string): string {
	return parameter.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A field of the API as a parameter's name: `credits_cost` → `creditsCost`. Linear in the length of the name. */
export function toCamelCase(apiName: string): string {
	const [first = apiName, ...rest] = apiName.split('_').filter((word) => word !== '');
	return first + rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/** A value of the API as a label: `lead_vocal` → `Lead Vocal`. */
export function toTitle(value: string): string {
	return value
		.split(/[_-]/)
		.map((word) => word.charAt(0).toUpperCase() + word.slice(1))
		.join(' ');
}
