import { usageShape } from '../api/chatUsage';
import { z } from '../util/vendor/zod';
import { besideTaskShape } from './resultFiles';
import { taskShape } from './task';

// From these the build makes the files that show an operation's default output in n8n's editor before the first run.

const taskOutput = taskShape
	.omit({ error: true })
	.merge(besideTaskShape.omit({ referenceVerified: true }));

const tagsOutput = taskOutput.extend({ upsampledTags: z.string() });

const uploadOutput = z.object({
	url: z.string(),
	filename: z.string().optional(),
	contentType: z.string().optional(),
	bytes: z.number().optional(),
	createdAt: z.number().optional(),
	expiresAt: z.string(),
});

const balanceOutput = z.object({
	success: z.boolean().optional(),
	remainBalance: z.number().nullable(),
	remainCredits: z.number().nullable(),
	usedBalance: z.number().nullable(),
	usedCredits: z.number().nullable(),
	unlimitedQuota: z.boolean(),
	remaining: z.number().nullable(),
	remainingCredits: z.number().nullable(),
});

const chatOutput = z.object({
	text: z.string(),
	stopReason: z.string().nullable(),
	usage: usageShape.nullable(),
	warnings: z.array(z.string()),
	reference: z.string().optional(),
	input: z.record(z.unknown()).optional(),
});

/** The schema of an operation's default output; `undefined` for one whose output is the input's. */
export function outputSchemaOf(resource: string, operation: string) {
	if (resource === 'music' && operation === 'upsampleTags') return tagsOutput;
	if (resource === 'image' && operation === 'upload') return uploadOutput;
	if (resource === 'balance') return operation === 'get' ? balanceOutput : undefined;
	return resource === 'chat' ? chatOutput : taskOutput;
}
