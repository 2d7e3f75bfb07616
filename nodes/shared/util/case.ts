/** A parameter's name in the API: `negativeTags` → `negative_tags`. */
export function toApiName(parameter: string): string {
	return parameter.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A field of the API as a parameter's name: `credits_cost` → `creditsCost`. */
export function toCamelCase(apiName: string): string {
	return apiName.replace(/_+([a-z0-9])/gi, (_, letter: string) => letter.toUpperCase());
}
