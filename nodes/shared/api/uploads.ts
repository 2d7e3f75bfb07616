import { objectOf } from '../util/json';
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

export function readUpload(answer: unknown): UploadRecord | undefined {
	const whole = objectOf(answer);
	const raw = typeof whole.url === 'string' ? whole : (enveloped(whole) ?? whole);
	const url = toText(raw.url);
	return url !== undefined && /^https?:\/\//i.test(url)
		? { raw, url, createdAt: toMilliseconds(raw.created_at) }
		: undefined;
}
