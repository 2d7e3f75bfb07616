import type { TrackSpec } from '../media/track';
import type { StoredFile } from '../core/store/file';

export interface MusicPlan {
	family: 'music';
	tracks: readonly TrackSpec[];
	/** By the name of the field that carries the link. */
	stems: Readonly<Record<string, TrackSpec>>;
	upsampledTags: string | null;
	/** Whether it is the user's own track rather than a generated one. */
	uploaded: boolean;
}

export interface MusicResult {
	family: 'music';
	tracks: readonly StoredFile[];
	stems: Readonly<Record<string, StoredFile>>;
}
