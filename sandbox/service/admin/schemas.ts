import { z } from 'zod/v3';
import { DIALECTS } from '../core/dialects';
import { SANDBOX_KEYS } from '../core/options';

const duration = z.number().min(0).nullable();
const ttl = z.number().min(0);
export const durationsSchema = z
	.object({ image: duration, music: duration, grid: duration, video: duration })
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
export const settingsSchema = z
	.object({
		dialect: z.enum(DIALECTS),
		strict: z.boolean(),
		extraModels: z.array(z.string()),
		extraVersions: z.array(z.string()),
		allowPrivateCallbacks: z.boolean(),
		callbackShape: z.enum(['bare', 'enveloped']),
		webhookQuery: z.enum(['text', 'path']),
		generatedSource: z.enum(['fail', 'refuse']),
		chatLatency: z.number().min(0),
		cacheTtlBreakdown: z.boolean(),
		linkTtl: z.object({ image: ttl, music: ttl, grid: ttl, video: ttl }).partial().strict(),
	})
	.partial()
	.strict();
export const finishSchema = z
	.object({
		failure: z.object({ message: z.string(), code: z.string().optional() }).strict().optional(),
	})
	.strict()
	.default({});

export const finishAllSchema = z
	.object({ family: z.enum(['image', 'music', 'grid', 'video']).optional() })
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
