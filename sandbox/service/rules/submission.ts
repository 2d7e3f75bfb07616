import { z } from 'zod/v3';

/** Any asynchronous submission may carry a callback base address (spec, Events, rule 1). */
export const webhookField = z.string().min(1).optional();

/** A reference picture: a plain URL or, as in the spec's own example, an object with a `url`. */
export const imageReference = z.union([z.string().min(1), z.object({ url: z.string().min(1) }).transform(({ url }) => url)]);

/**
 * Phrases in a prompt that make the sandbox do what the real service does for reasons of its own. They are the
 * sandbox's invention.
 */
export const PHRASES = {
	/** Refused by the safety review, whatever `moderation` says. */
	unsafe: 'sandbox:unsafe',
	/** Refused by the safety review, unless `moderation` is `low`. */
	borderline: 'sandbox:borderline',
	/** Accepted, and fails at its end. */
	fail: 'sandbox:fail',
} as const;
