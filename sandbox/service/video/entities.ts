import type { ClipSpec } from '../media/clip';
import type { StoredFile } from '../core/store/file';

export interface VideoPlan {
	family: 'video';
	/** Without an alias. */
	model: string;
	clip: ClipSpec;
	/** Seconds of the whole video so far, where `clip` shows only its last part. */
	totalSeconds: number;
}

export interface VideoResult {
	family: 'video';
	file: StoredFile;
}
