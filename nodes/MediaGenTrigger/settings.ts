import { TASK_FAMILIES } from '../shared/api/families';
import { flag, number } from '../shared/util/schema';
import { z } from '../shared/util/vendor/zod';

const EVENTS = ['completed', 'failed', 'other'] as const;

const settings = z.object({
	events: z.array(z.enum(EVENTS)).catch(['completed', 'failed']),
	verify: flag().catch(true),
	/** Hours. */
	dedupeWindow: number(1).catch(24),
	families: z.array(z.enum(TASK_FAMILIES)).catch([]),
	repeatInDoubt: flag().catch(true),
});

const collection = z.record(z.unknown()).catch({});

/** How the trigger is set. */
export type Settings = z.infer<typeof settings>;

/** Reads the node's parameters; one that is missing or makes no sense has its default. */
export function readSettings({ options, ...top }: { events?: unknown; verify?: unknown; options: unknown }): Settings {
	return settings.parse({ ...collection.parse(options), ...top });
}
