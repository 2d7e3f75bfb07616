import type { Plan, PlannedFile } from '../core/store/tasks';
import type { TrackSpec } from '../media/track';
import { MUSIC_OPERATIONS, type MusicOperationName, SONG, type Tracks } from './operations';

export interface MusicPlan extends Plan {
	family: 'music';
	/** What `audio_index` refers to; `null` is a track without a link. */
	tracks: ReadonlyArray<TrackSpec | null>;
	upsampledTags: string | null;
	/** Whether it is the user's own track rather than a generated one. */
	uploaded: boolean;
}

type More = Partial<Pick<MusicPlan, 'upsampledTags' | 'uploaded'>> & { linkless?: boolean };

/** @param linkless whether a track without a link is between the two of a song */
export function musicPlan(
	{ tracks: made, stems = {} }: Tracks,
	{ upsampledTags = null, uploaded = false, linkless }: More = {},
): MusicPlan {
	const [first, ...others] = made;
	const tracks = linkless && first && others.length > 0 ? [first, null, ...others] : made;
	const wav = (
		suffix: string,
		track: TrackSpec,
		index: number | null,
		name: string | null,
	): PlannedFile => ({
		index,
		name,
		suffix: `${suffix}.wav`,
		contentType: 'audio/wav',
		content: { type: 'track', track },
	});
	return {
		family: 'music',
		tracks,
		upsampledTags,
		uploaded,
		files: [
			...tracks.flatMap((track, at) => (track ? [wav(String(at + 1), track, at + 1, null)] : [])),
			...Object.entries(stems).map(([name, track], at) => wav(`stem-${at + 1}`, track, null, name)),
		],
	};
}

/** How many seconds longer the second track of a generation is. At the real service the two differ as well. */
const SECOND_TRACK = 4;

type Applied = Readonly<Record<string, unknown>>;

/** The tracks, or the stems, that an operation makes of its source. */
export function tracksOf(
	operation: MusicOperationName,
	applied: Applied,
	source: TrackSpec | null,
	taskId: string,
): Tracks {
	const length = source?.seconds ?? SONG;
	const track = (index: number, changes: Partial<TrackSpec> = {}): TrackSpec => ({
		seconds: length,
		seed: `${taskId}/${index}`,
		fadeIn: 0,
		title: titleOf(operation, applied, index),
		...changes,
	});
	return MUSIC_OPERATIONS[operation].makes({
		applied,
		length,
		track,
		two: (seconds) => ({
			tracks: [track(1, { seconds }), track(2, { seconds: seconds + SECOND_TRACK })],
		}),
		edited: (changes) => ({ tracks: [track(1, { ...source, ...changes })] }),
	});
}

function titleOf(operation: string, { title }: Applied, index: number): string {
	return typeof title === 'string' && title ? `${title} (${index})` : `${operation} ${index}`;
}
