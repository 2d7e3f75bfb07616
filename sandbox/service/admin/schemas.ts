import { z } from 'zod/v3';
import { SANDBOX_KEYS } from '../core/options';
import { byFamily, FAMILIES } from '../core/store/tasks';

export const durationsSchema = z
	.object(byFamily(() => z.number().min(0).nullable()))
	.partial()
	.strict();
export const keySchema = z
	.object({
		status: z.enum(['active', 'deleted', 'forbidden']),
		unlimited: z.boolean(),
		credits: z.number().int().min(0),
	})
	.partial()
	.strict();
export const balanceSchema = keySchema
	.omit({ status: true })
	.extend({ key: z.string().default(SANDBOX_KEYS.default) })
	.strict();
export const finishSchema = z
	.object({
		failure: z.object({ message: z.string(), code: z.string().optional() }).strict().optional(),
	})
	.strict()
	.default({});

export const finishAllSchema = z
	.object({ family: z.enum(FAMILIES).optional() })
	.strict()
	.default({});

export const handCallbackSchema = z
	.object({
		base: z.string().optional(),
		body: z.unknown(),
		copies: z.number().int().min(1).max(1000).optional(),
		simultaneous: z.boolean().optional(),
		taskId: z.string().optional(),
		kind: z.enum(['forged', 'manual', 'duplicate']).optional(),
	})
	.strict();
