import type { MusicPlan } from './entities';
import type { TrackSpec } from '../media/track';
import type { MusicOperationName } from './operations';

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
): Pick<MusicPlan, 'tracks' | 'stems'> {
	const track = (index: number, changes: Partial<TrackSpec>): TrackSpec => ({
		seconds: source?.seconds ?? SONG,
		seed: `${taskId}/${index}`,
		fadeIn: 0,
		title: titleOf(operation, applied, index),
		...changes,
	});
	const two = (seconds: number) => ({
		tracks: [track(1, { seconds }), track(2, { seconds: seconds + SECOND_TRACK })],
		stems: {},
	});
	const edited = (changes: Partial<TrackSpec>) => ({ tracks: [track(1, { ...source, ...changes })], stems: {} });
	const length = source?.seconds ?? SONG;

	switch (operation) {
		case 'sample':
			return two(SONG);
		case 'extend':
			return two(numberOf(applied.continue_at, length) + CONTINUATION);
		case 'coverSong':
		case 'addInstrumental':
		case 'addVocals':
		case 'addStem':
			return two(length);
		case 'sounds':
			return two(SOUND);
		case 'crop':
			return edited({ seconds: Math.max(0, Math.min(numberOf(applied.end_s, length), length) - numberOf(applied.start_s, 0)) });
		case 'fadeIn':
			return edited({ fadeIn: numberOf(applied.duration_s, FADE_IN) });
		case 'stems':
			return { tracks: [], stems: { [`${String(applied.stem_type)}_url`]: track(1, {}), backing_track_url: track(2, {}) } };
		case 'upsampleTags':
			return { tracks: [], stems: {} };
	}
}

function titleOf(operation: string, { title }: Applied, index: number): string {
	return typeof title === 'string' && title ? `${title} (${index})` : `${operation} ${index}`;
}

function numberOf(value: unknown, otherwise: number): number {
	return typeof value === 'number' ? value : otherwise;
}
