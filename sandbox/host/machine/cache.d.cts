/**
 * The folder for installed n8n versions: outside the checkout, so that a fresh clone finds them again.
 *
 * `MEDIAGEN_CACHE` names another; else the platform's usual place is used.
 */
export function cacheFolder(): string;

/** A file in the folder of an install that is whole. */
export const STAMP: string;
