import { z } from 'zod/v3';
import { invalid } from '../core/errors';
import { parse, taskIdField, webhookField } from '../core/http/parse';
import type { Settings } from '../core/options';
import {
	MUSIC_FIELDS,
	MUSIC_OPERATIONS,
	OWN_RULES,
	type MusicOperation,
	type MusicOperationName,
	type Version,
} from './operations';

const DEFAULT_VERSION: Version = 'v5.5';

/** A valid music request. */
export interface MusicRequest {
	/** Fields that take effect, with defaults; `custom` as sent or inferred. */
	applied: Record<string, unknown>;
	ignored: string[];
	webhook: string | undefined;
	source: { taskId: string; audioIndex: number } | null;
	version: string | null;
}

type Body = Record<string, unknown>;

/**
 * Reads the body of `POST /v1/music/generations/{operation}` (spec, section 2).
 * @throws ServiceError 400
 */
export function musicRequest(
	settings: Settings,
	name: MusicOperationName,
	input: unknown,
): MusicRequest {
	const body = withAlias(parse(z.record(z.unknown()), input));
	const operation: MusicOperation = MUSIC_OPERATIONS[name];
	const base = parse(baseSchema(operation, settings), body);
	const custom = modeOf(operation, body, base.custom);
	const fields = effectiveFields(operation, custom);
	if (operation.mode === 'inferred' && custom === false && !isGiven(body.gpt_description)) {
		throw invalid('gpt_description: is required when custom is false');
	}
	const shape = Object.fromEntries(
		fields.map((field) => [field, OWN_RULES[name]?.[field] ?? MUSIC_FIELDS[field] ?? z.unknown()]),
	);
	const { webhook, task_id, audio_index, custom: _sent, ...common } = base;
	const applied = withoutGaps({
		...common,
		...(task_id === undefined ? {} : { task_id, audio_index }),
		...(custom === undefined ? {} : { custom }),
		...parse(z.object(shape), body),
	});
	if (settings.strict) checkSpan(applied);
	const sent = Object.keys(body).filter((field) => field !== 'webhook');
	return {
		applied,
		ignored: sent.filter((field) => !(field in applied)),
		webhook,
		source: task_id === undefined ? null : { taskId: task_id, audioIndex: audio_index ?? 1 },
		version: operation.versions ? (common.version ?? DEFAULT_VERSION) : null,
	};
}

/** Model, source, version and mode, as far as the operation has them. */
function baseSchema(
	{ source, versions, mode }: MusicOperation,
	{ strict, extraModels, extraVersions }: Settings,
) {
	const models = ['musicgen', ...extraModels];
	const known: readonly string[] = [...(versions ?? []), ...extraVersions];
	return z.object({
		model: z
			.string()
			.refine((model) => !strict || models.includes(model), `must be ${models.join(', ')}`)
			.default('musicgen'),
		webhook: webhookField,
		task_id: source === 'none' ? nothing : taskIdField,
		audio_index: source === 'none' ? nothing : z.number().int().min(1).default(1),
		version: versions
			? z
					.string()
					.refine((version) => known.includes(version), `must be ${known.join(', ')}`)
					.default(DEFAULT_VERSION)
			: nothing,
		custom: mode === 'none' ? nothing : z.boolean().optional(),
	});
}

/** A field that the operation does not have: its value is dropped. */
const nothing = z.unknown().transform(() => undefined);

/** `weirdness` is another name of `weirdness_constraint`. */
function withAlias({ weirdness, ...body }: Body): Body {
	return weirdness === undefined ? body : { weirdness_constraint: weirdness, ...body };
}

function withoutGaps(body: Body): Body {
	return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
}

function modeOf(
	{ mode }: MusicOperation,
	body: Body,
	sent: boolean | undefined,
): boolean | undefined {
	if (mode !== 'inferred' || sent !== undefined) return sent;
	if (isGiven(body.prompt)) return true;
	if (isGiven(body.gpt_description)) return false;
	return isGiven(body.tags) || isGiven(body.title) ? true : undefined;
}

function effectiveFields(
	{ mode, fields, customFields }: MusicOperation,
	custom: boolean | undefined,
) {
	if (mode === 'none') return fields;
	if (custom === true) return [...fields, ...customFields];
	// `extend` reads the description when the mode is left out, too.
	if (custom === false || mode === 'passedThrough') return [...fields, 'gpt_description'];
	return fields;
}

function isGiven(value: unknown): boolean {
	return value !== undefined && value !== null && value !== '';
}

function checkSpan({ start_s: start, end_s: end }: Body): void {
	if (typeof start === 'number' && typeof end === 'number' && end <= start)
		throw invalid('end_s: comes after start_s');
}
