import { z } from 'zod/v3';
import { requiredText, taskIdField, webhookField } from '../core/http/parse';

/** A follow-up operation on a grid task (spec, section 4). */
export interface GridOperation {
	path: string;
	action: 'VARIATION' | 'LOW_VARIATION' | 'REROLL' | 'UPSCALE';
	/** The error's `code` for 400 and 404, where the operation has a table of its own; else the HTTP code. */
	codes?: { invalid: number; notFound: number };
}

export const GRID_OPERATIONS = {
	variation: { path: '/v1/gridart/generations/variation', action: 'VARIATION' },
	lowVariation: { path: '/v1/gridart/generations/low-variation', action: 'LOW_VARIATION' },
	reroll: {
		path: '/v1/gridart/generations/reroll',
		action: 'REROLL',
		codes: { invalid: 4, notFound: 3 },
	},
	/** The spec does not show its endpoint: path and fields are the sandbox's own. */
	upscale: { path: '/v1/gridart/generations/upscale', action: 'UPSCALE' },
} as const satisfies Record<string, GridOperation>;

export type GridOperationName = keyof typeof GRID_OPERATIONS;

/** "Service refusal" in reroll's error table. */
export const REFUSAL_CODE = 9;

/** `index` is checked later: it is read only without a `custom_id`. */
export const gridSchema = z.object({
	task_id: taskIdField.optional(),
	index: z.unknown(),
	custom_id: z.string().min(1).optional(),
	speed: z.string().optional(),
	metadata: z.record(z.unknown()).optional(),
	webhook: webhookField,
});

/** The first grid. The spec does not show its endpoint: path and fields are the sandbox's own. */
export const imagineSchema = z.object({
	prompt: requiredText,
	speed: z.string().optional(),
	/** Inherited by follow-up tasks. */
	version: z.string().optional(),
	niji: z.boolean().optional(),
	metadata: z.record(z.unknown()).optional(),
	webhook: webhookField,
});

/** Values of `speed`; others are refused by a strict sandbox only. */
export const SPEEDS: readonly string[] = ['relax', 'fast', 'turbo'];

export const gridIndex = z.number().int().min(1).max(4);
