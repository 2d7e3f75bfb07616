import { objectOf } from '../util/json';
import { isMeantAsLink, isWholeLink, resolveLink } from './address';
import { enveloped, toMilliseconds, toText } from './records';

export const UPLOADS_PATH = '/v1/uploads/images';

/** Hours for which a stored picture is public (spec §7). */
export const UPLOAD_LINK_HOURS = 72;

/** A stored picture (spec, Uploaded image record). */
export interface UploadRecord {
	/** The record as received, without an envelope. */
	raw: Record<string, unknown>;
	url: string;
	/** Milliseconds since 1970. */
	createdAt: number | undefined;
}

/** @param baseUrl of the service: its link may be relative to it, like those of results */
export function readUpload(answer: unknown, baseUrl: string): UploadRecord | undefined {
	const whole = objectOf(answer);
	const raw = typeof whole.url === 'string' ? whole : (enveloped(whole) ?? whole);
	const given = toText(raw.url) ?? '';
	const isLink = isMeantAsLink(given);
	const url = isWholeLink(given) ? given : isLink ? resolveLink(given, baseUrl) : undefined;
	return url === undefined ? undefined : { raw, url, createdAt: toMilliseconds(raw.created_at) };
}
