import type { Plan, PlannedFile } from '../core/store/tasks';
import type { TrackSpec } from '../media/track';
import type { MusicOperationName } from './operations';

export interface MusicPlan extends Plan {
	family: 'music';
	/** What `audio_index` refers to; `null` is a track without a link. */
	tracks: ReadonlyArray<TrackSpec | null>;
	upsampledTags: string | null;
	/** Whether it is the user's own track rather than a generated one. */
	uploaded: boolean;
}

export function isMusicPlan(plan: Plan): plan is MusicPlan {
	return plan.family === 'music';
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

export interface Tracks {
	tracks: readonly TrackSpec[];
	/** By name. */
	stems?: Readonly<Record<string, TrackSpec>>;
}

/** Lengths in seconds. The second track of a generation is a little longer, as it is with the real thing. */
const SONG = 60;
const SOUND = 8;
const CONTINUATION = 30;
const SECOND_TRACK = 4;
const FADE_IN = 3;

type Applied = Readonly<Record<string, unknown>>;

/** The tracks, or the stems, that an operation makes of its source. */
export function tracksOf(
	operation: MusicOperationName,
	applied: Applied,
	source: TrackSpec | null,
	taskId: string,
): Tracks {
	const track = (index: number, changes: Partial<TrackSpec>): TrackSpec => ({
		seconds: source?.seconds ?? SONG,
		seed: `${taskId}/${index}`,
		fadeIn: 0,
		title: titleOf(operation, applied, index),
		...changes,
	});
	const two = (seconds: number) => ({
		tracks: [track(1, { seconds }), track(2, { seconds: seconds + SECOND_TRACK })],
	});
	const edited = (changes: Partial<TrackSpec>) => ({
		tracks: [track(1, { ...source, ...changes })],
	});
	const length = source?.seconds ?? SONG;

	switch (operation) {
		case 'create':
		case 'sample':
			return two(SONG);
		case 'extend':
			return two(Math.min(numberOf(applied.continue_at, length), length) + CONTINUATION);
		case 'coverSong':
		case 'addInstrumental':
		case 'addVocals':
		case 'addStem':
			return two(length);
		case 'sounds':
			return two(SOUND);
		case 'crop':
			return edited({
				seconds: Math.max(
					0,
					Math.min(numberOf(applied.end_s, length), length) - numberOf(applied.start_s, 0),
				),
			});
		case 'fadeIn':
			return edited({ fadeIn: numberOf(applied.duration_s, FADE_IN) });
		case 'stems':
			return {
				tracks: [],
				stems: { [String(applied.stem_type)]: track(1, {}), backing_track: track(2, {}) },
			};
		case 'upsampleTags':
			return { tracks: [] };
	}
}

function titleOf(operation: string, { title }: Applied, index: number): string {
	return typeof title === 'string' && title ? `${title} (${index})` : `${operation} ${index}`;
}

function numberOf(value: unknown, otherwise: number): number {
	return typeof value === 'number' ? value : otherwise;
}
