import { z } from 'zod/v3';

const milliseconds = z.number().min(0);

/** Before: nothing was accepted. After: the request did its work, and only the answer goes wrong. */
const when = z.enum(['before', 'after']);

/** Effects on the answer to a request. */
const requestEffects = [
	z.object({
		type: z.literal('status'),
		status: z.number().int().min(400).max(599),
		message: z.string().optional(),
		/** The envelope's `code`, where it is not the HTTP code. */
		code: z.number().int().optional(),
		/** `Retry-After`: seconds, or a date that many seconds from now. Real seconds, whatever the clock's scale. */
		retryAfter: z.union([z.number().min(0), z.object({ dateIn: z.number() }).strict()]).optional(),
		when: when.default('before'),
	}),
	z.object({ type: z.literal('reset'), when: when.default('before') }),
	z.object({ type: z.literal('hang'), when: when.default('before') }),
	z.object({ type: z.literal('slow'), ms: milliseconds }),
	z.object({ type: z.literal('malformedJson') }),
	z.object({ type: z.literal('truncatedJson') }),
	z.object({ type: z.literal('emptyBody') }),
	z.object({ type: z.literal('cutBody') }),
] as const;

/** Effects on a task that has just been accepted. */
const taskEffects = [
	z.object({ type: z.literal('failTask'), message: z.string(), code: z.string().default('') }),
	z.object({ type: z.literal('duration'), ms: milliseconds.nullable() }),
	z.object({ type: z.literal('resultBytes'), bytes: z.number().int().min(0).max(999_999_999_999) }),
	z.object({ type: z.literal('shortfall'), produced: z.number().int().min(0) }),
	/** It ends at once, and its callback is on its way before the submission is answered. */
	z.object({ type: z.literal('callbackFirst') }),
	/** Besides its own callback, one at acceptance: a false one that claims the end, or a true one that it is running. */
	z.object({ type: z.literal('earlyCallback'), claims: z.enum(['completed', 'running']).default('completed') }),
] as const;

/** Effects on the callback of a task that has just ended. */
const callbackEffects = [
	z.object({
		type: z.literal('duplicateCallback'),
		/** Callbacks in all. */
		copies: z.number().int().min(2).max(100).default(2),
		spacing: z.enum(['sequential', 'simultaneous']).default('sequential'),
	}),
	z.object({ type: z.literal('lateCallback'), ms: milliseconds }),
	z.object({ type: z.literal('missingCallback') }),
	z.object({
		type: z.literal('reorderCallbacks'),
		/** Callbacks are held back until so many have gathered. */
		window: z.number().int().min(2).max(10_000),
		order: z.enum(['reversed', 'shuffled']).default('reversed'),
		/** Clock ms after the first of them when those that are there are sent all the same. */
		maxWaitMs: milliseconds.default(60_000),
	}),
	z.object({
		type: z.literal('forgedCallback'),
		/** Sent before the true one: for a task that does not exist, or with links that lead elsewhere. */
		forgery: z.enum(['unknownTask', 'wrongResult']).default('unknownTask'),
	}),
] as const;

const effect = z.discriminatedUnion('type', [...requestEffects, ...taskEffects, ...callbackEffects]);

/** What a rule is asked for with; `z.input` of this is what a caller writes. */
export const faultRuleSchema = z
	.object({
		match: z
			.object({
				method: z.string().optional(),
				/** Path without query; `*` stands for any characters. For tasks and callbacks: the path of the submission. */
				path: z.string().optional(),
				family: z.enum(['image', 'music', 'grid', 'video']).optional(),
			})
			.strict()
			.default({}),
		/** The first match that it takes effect on, counting from 1. */
		nth: z.number().int().min(1).default(1),
		/** On how many matches in a row it takes effect; `null` for all that follow. */
		count: z.number().int().min(1).nullable().default(1),
		effect,
	})
	.strict();

export type FaultRuleInput = z.input<typeof faultRuleSchema>;
export type FaultEffect = z.output<typeof effect>;
export type FaultMatch = z.output<typeof faultRuleSchema>['match'];

type EffectOf<Schemas extends readonly z.ZodTypeAny[]> = z.output<Schemas[number]>;
export type RequestEffect = EffectOf<typeof requestEffects>;
export type TaskEffect = EffectOf<typeof taskEffects>;
export type CallbackEffect = EffectOf<typeof callbackEffects>;

/** A rule in force, and how often it matched and took effect. */
export interface FaultRule {
	readonly id: string;
	readonly match: FaultMatch;
	readonly nth: number;
	readonly count: number | null;
	readonly effect: FaultEffect;
	matched: number;
	applied: number;
}

const TASK_TYPES: readonly string[] = taskEffects.map(({ shape }) => shape.type.value);
const CALLBACK_TYPES: readonly string[] = callbackEffects.map(({ shape }) => shape.type.value);

export function isTaskEffect(candidate: FaultEffect): candidate is TaskEffect {
	return TASK_TYPES.includes(candidate.type);
}

export function isCallbackEffect(candidate: FaultEffect): candidate is CallbackEffect {
	return CALLBACK_TYPES.includes(candidate.type);
}

export function isRequestEffect(candidate: FaultEffect): candidate is RequestEffect {
	return !isTaskEffect(candidate) && !isCallbackEffect(candidate);
}
