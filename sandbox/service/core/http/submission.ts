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
	/** In the prompt of a grid: a reroll of it is refused by the upstream service (502). */
	refuse: 'sandbox:refuse',
} as const;

/** Why a task is going to fail, where its prompt asks for that. */
export function promptedFailure(prompt: string | undefined): string | undefined {
	return prompt?.includes(PHRASES.fail) ? 'The generation failed, as the prompt asked it to.' : undefined;
}
