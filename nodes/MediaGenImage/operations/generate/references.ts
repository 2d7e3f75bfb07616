import * as spec from '../../../shared/api/image';
import { picture, PICTURE_RULES } from '../../../shared/n8n/pictures';
import { webUrl } from '../../../shared/util/schema';
import { z } from '../../../shared/util/vendor/zod';

const DATA_URI_HEAD = /^data:(image\/[a-z]+);base64$/;

function dataUriProblem(value: string): string | undefined {
	// The content is millions of characters: one pattern over all of it would exhaust the stack.
	const comma = value.indexOf(',');
	const [, type] = DATA_URI_HEAD.exec(value.slice(0, comma)) ?? [];
	const data = value.slice(comma + 1);
	if (
		!spec.DATA_URI_TYPES.some((known) => known === type) ||
		data === '' ||
		/[^A-Za-z0-9+/=]/.test(data)
	) {
		return 'must be a data URI of the form data:image/…;base64,… with a JPEG, PNG or WebP picture';
	}
	const { bytes } = spec.REFERENCE_LIMITS.lite;
	return Buffer.byteLength(data, 'base64') > bytes ? `must have at most ${bytes} bytes` : undefined;
}

/** A URL, or a data URI that `problemOf` finds nothing wrong with. */
const linkOf = (problemOf: (dataUri: string) => string | undefined) =>
	picture(
		z.unknown().superRefine((value, issues) => {
			const isDataUri = typeof value === 'string' && value.startsWith('data:');
			const message = isDataUri
				? problemOf(value)
				: webUrl().safeParse(value).error?.issues[0]?.message;
			if (message !== undefined) issues.addIssue({ code: z.ZodIssueCode.custom, message });
		}),
	);

export const officialLink = linkOf(() => 'must be a URL: only the lite models take a data URI');
export const liteLink = linkOf(dataUriProblem);
export const anyLink = linkOf(() => undefined);

const linkFor = (model: unknown) => (model === spec.OFFICIAL_MODEL ? officialLink : anyLink);

/** What a mask may be: the official model needs an alpha channel (spec §3a). */
export const maskRules = (model: unknown) => ({
	...PICTURE_RULES,
	link: linkFor(model),
	needsAlpha: model === spec.OFFICIAL_MODEL,
});

/** What a reference image may be: the limits of each model (spec, Limits). */
export function referenceRules(model: unknown) {
	if (spec.LITE_MODELS.has(model))
		return { ...PICTURE_RULES, maxBytes: spec.REFERENCE_LIMITS.lite.bytes, link: liteLink };
	return { ...PICTURE_RULES, link: linkFor(model) };
}
