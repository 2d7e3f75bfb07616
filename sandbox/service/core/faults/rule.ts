import { z } from 'zod/v3';
import { FAMILIES } from '../store/tasks';

const milliseconds = z.number().min(0);

/** `before`: nothing was accepted. `after`: the request was handled, and only its answer is changed. */
const when = z.enum(['before', 'after']);

/** What an effect is on. */
const EFFECTS = {
	/** The answer to a request. */
	request: [
		z.object({
			type: z.literal('status'),
			status: z.number().int().min(400).max(599),
			message: z.string().optional(),
			/** The envelope's `code`, where it is not the HTTP code. */
			code: z.number().int().optional(),
			/** `Retry-After`: seconds, or a date that many seconds from now. Real seconds, on every clock. */
			retryAfter: z
				.union([z.number().min(0), z.object({ dateIn: z.number() }).strict()])
				.optional(),
			when: when.default('before'),
		}),
		z.object({ type: z.literal('reset'), when: when.default('before') }),
		z.object({ type: z.literal('hang'), when: when.default('before') }),
		z.object({ type: z.literal('slow'), ms: milliseconds }),
		z.object({ type: z.literal('malformedJson') }),
		z.object({ type: z.literal('truncatedJson') }),
		z.object({ type: z.literal('emptyBody') }),
		z.object({ type: z.literal('cutBody') }),
	],
	/** A task that has just been accepted. */
	task: [
		z.object({ type: z.literal('failTask'), message: z.string(), code: z.string().default('') }),
		z.object({ type: z.literal('duration'), ms: milliseconds.nullable() }),
		z.object({
			type: z.literal('resultBytes'),
			bytes: z.number().int().min(0).max(999_999_999_999),
		}),
		z.object({ type: z.literal('shortfall'), produced: z.number().int().min(0) }),
		/** The task ends at once, and its callback is sent before the submission is answered. */
		z.object({ type: z.literal('callbackFirst') }),
		/** An additional callback at acceptance: a forged one that claims completion, or a genuine one in the running state. */
		z.object({
			type: z.literal('earlyCallback'),
			claims: z.enum(['completed', 'running']).default('completed'),
		}),
	],
	/** The callback of a task that has just ended. */
	callback: [
		z.object({
			type: z.literal('duplicateCallback'),
			/** Total number of callbacks. */
			copies: z.number().int().min(2).max(100).default(2),
			spacing: z.enum(['sequential', 'simultaneous']).default('sequential'),
		}),
		z.object({ type: z.literal('lateCallback'), ms: milliseconds }),
		z.object({ type: z.literal('missingCallback') }),
		z.object({
			type: z.literal('reorderCallbacks'),
			/** Callbacks are held until this number is waiting. */
			window: z.number().int().min(2).max(10_000),
			order: z.enum(['reversed', 'shuffled']).default('reversed'),
			/** Clock milliseconds after the first one until they are sent regardless of their number. */
			maxWaitMs: milliseconds.default(60_000),
		}),
		z.object({
			type: z.literal('forgedCallback'),
			/** Sent before the genuine one: for a task that does not exist, or with other links. */
			forgery: z.enum(['unknownTask', 'wrongResult']).default('unknownTask'),
		}),
	],
} as const;

const effect = z.discriminatedUnion('type', [
	...EFFECTS.request,
	...EFFECTS.task,
	...EFFECTS.callback,
]);

/** A rule as the caller gives it. */
export const faultRuleSchema = z
	.object({
		match: z
			.object({
				method: z.string().optional(),
				/** Path without query; `*` matches any characters. For tasks and callbacks: the path of the submission. */
				path: z.string().optional(),
				family: z.enum(FAMILIES).optional(),
			})
			.strict()
			.default({}),
		/** The first match that it takes effect on, counting from 1. */
		nth: z.number().int().min(1).default(1),
		/** Number of successive matches it takes effect on; `null` for all further ones. */
		count: z.number().int().min(1).nullable().default(1),
		effect,
	})
	.strict();

export type FaultRuleInput = z.input<typeof faultRuleSchema>;
export type FaultEffect = z.output<typeof effect>;
export type FaultMatch = z.output<typeof faultRuleSchema>['match'];

export type EffectKind = keyof typeof EFFECTS;
export type EffectOf<Kind extends EffectKind> = z.output<(typeof EFFECTS)[Kind][number]>;
export type RequestEffect = EffectOf<'request'>;
export type TaskEffect = EffectOf<'task'>;
export type CallbackEffect = EffectOf<'callback'>;

/** An active rule, with the number of its matches and effects. */
export type FaultRule = Readonly<z.output<typeof faultRuleSchema>> & {
	readonly id: string;
	matched: number;
	applied: number;
};

/** Whether an effect is of a kind. */
export function isOn<Kind extends EffectKind>(
	kind: Kind,
	candidate: FaultEffect,
): candidate is FaultEffect & EffectOf<Kind> {
	return EFFECTS[kind].some(({ shape }) => shape.type.value === candidate.type);
}
