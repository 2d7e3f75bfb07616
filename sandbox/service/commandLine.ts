import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { z } from 'zod/v3';
import { DIALECTS } from './core/dialects';
import { faultRuleSchema } from './core/faults/rule';
import { optionsSchema, SANDBOX_KEYS } from './core/options';

export const HELP = `mediagen-sandbox [options]

Runs an emulator of the media generation service on this machine, for building n8n workflows with the MediaGen nodes before
you buy a key. Results are samples and nothing costs money. Tasks and files are kept in memory until it ends.
It answers the endpoints of the specification and five of its own, listed in its README; any other path is 404.

Options
  --port <number>     port to listen on (default 4010; 0 uses a free one)
  --host <address>    address to listen on (default 127.0.0.1; 0.0.0.0 for an n8n in Docker or on another machine)
  --public-url <url>  the address under which n8n reaches it, if it is another one; links in results begin with it. It answers
                      under this name, localhost, and IP addresses
  --key <text>        an API key to accept (default ${SANDBOX_KEYS.default})
  --speed <number>    speed of its clock, as a factor of real time: with 10, a task of 10 s takes 1 s (default 1)
  --dialect <name>    how it answers what the specification does not show: ${DIALECTS.join(', ')} (default plain)
  --strict            also refuse what the specification restricts without calling it an error
  --faults <rules>    what is to fail: a JSON file with fault rules, or the JSON itself
  --public-callbacks  send callbacks to public addresses on the ports 80 and 443 only, as the service does
  --seed <text>       the same text gives the same task IDs and files at each start (default: others each time)
  --version           print the version
  --help              print this text

Needs     Node.js 20.9 or newer. Nothing else, no compiler.
Stop      Ctrl-C.
In Docker n8n reaches this machine as host.docker.internal:
          mediagen-sandbox --host 0.0.0.0 --public-url http://host.docker.internal:4010
Faults    mediagen-sandbox --faults '{ "match": { "path": "/v1/images/*" }, "effect": { "type": "status", "status": 503 } }'
`;

/** A mistake that the caller can correct with another option. */
export class UsageError extends Error {}

const { host, dialect } = optionsSchema.shape;
const flag = z.boolean().default(false);

const schema = z.object({
	port: z.coerce.number().int().min(0).max(65_535).default(4010),
	host,
	'public-url': z
		.string()
		.regex(/^https?:\/\//i, 'must begin with http:// or https://')
		.url()
		.optional(),
	key: z.string().regex(/^\S+$/, 'must be a text without spaces').default(SANDBOX_KEYS.default),
	speed: z.coerce.number().positive().finite().default(1),
	dialect,
	strict: flag,
	faults: z.string().transform(jsonOf).pipe(z.array(faultRuleSchema)).optional(),
	'public-callbacks': flag,
	seed: z.string().optional(),
	version: flag,
	help: flag,
});

export type CommandOptions = z.output<typeof schema>;

/** @param given JSON, or the name of a file that holds it: one rule or a list */
function jsonOf(given: string, context: z.RefinementCtx): unknown[] {
	try {
		const json: unknown = JSON.parse(/^\s*[[{]/.test(given) ? given : readFileSync(given, 'utf8'));
		return Array.isArray(json) ? json : [json];
	} catch (error) {
		context.addIssue({ code: 'custom', message: String(error) });
		return z.NEVER;
	}
}

/**
 * Reads the arguments of the command line.
 *
 * @throws {UsageError} with the name of the option that cannot be used
 */
export function readCommandLine(args: string[]): CommandOptions {
	const parsed = schema.safeParse(parsedArguments(args));
	if (parsed.success) return parsed.data;
	throw new UsageError(
		parsed.error.issues.map(({ path, message }) => `--${path.join('.')}: ${message}`).join('\n'),
	);
}

function parsedArguments(args: string[]) {
	try {
		const options = Object.entries(schema.shape).map(
			([name, field]) => [name, { type: field === flag ? 'boolean' : 'string' }] as const,
		);
		const { values } = parseArgs({ args, options: Object.fromEntries(options) });
		return values;
	} catch (error) {
		throw new UsageError(error instanceof Error ? error.message : String(error));
	}
}
