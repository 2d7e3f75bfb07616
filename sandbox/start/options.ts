import { z } from 'zod/v3';
import { parseHostVersions } from '../host';

const portSchema = z.coerce.number().int().min(1).max(65_535);

const schema = z.object({
	once: z.boolean(),
	fresh: z.boolean(),
	watch: z.boolean(),
	n8n: z.string(),
	port: portSchema.optional(),
	'sandbox-port': portSchema.optional(),
	folder: z.string().optional(),
});

/** What `npm start` was asked for, with its defaults. */
export type StartOptions = ReturnType<typeof readOptions>;

/**
 * Reads the command line's options.
 *
 * @throws with the option's name when a value cannot be used
 */
export function readOptions(given: unknown) {
	const parsed = schema.safeParse(given);
	if (!parsed.success) {
		const [issue] = parsed.error.issues;
		throw new Error(
			`--${issue?.path.join('.')} cannot be used: ${issue?.message}. See npm start -- --help.`,
		);
	}
	const { once, fresh, watch, n8n, folder, ...ports } = parsed.data;
	const [version] = parseHostVersions(n8n);
	if (!version) throw new Error('--n8n names no version. See npm start -- --help.');
	if (once && watch)
		throw new Error('--once and --watch exclude each other. See npm start -- --help.');
	// One n8n cannot read the database of the other, and two that run at once must not share one.
	const beside = ports.port === undefined ? '' : `-port-${ports.port}`;
	const kept = folder ?? `.sandbox/n8n/${version}${beside}`;
	// A served address can be bookmarked; a run that ends by itself must never find its port in use.
	const [editor, service] = once ? [undefined, undefined] : [5678, 5690];
	return {
		/** Ends after the pipeline. */
		once,
		/** Restarts n8n with every change of the sources. */
		watch,
		version,
		/** Where n8n's data is kept, relative to the checkout. Undefined: nowhere. */
		folder: fresh || (once && folder === undefined) ? undefined : kept,
		/** Undefined: any free one. */
		port: ports.port ?? editor,
		sandboxPort: ports['sandbox-port'] ?? service,
	};
}
