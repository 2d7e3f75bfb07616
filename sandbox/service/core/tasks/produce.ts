import type { FileContent, StoredFile } from '../store/file';
import type { GridPlan } from '../../grid/entities';
import type { ImagePlan } from '../../image/entities';
import type { MusicPlan } from '../../music/entities';
import type { Result, Task } from '../store/task';
import type { PictureSpec } from '../../media/picture';
import type { TrackSpec } from '../../media/track';
import type { Service } from '../service';

/** Files one result under a name of its task. */
type Shelf = (suffix: string, contentType: string, content: FileContent) => StoredFile;

/** Files the results of a task that has just completed; their bytes are made when somebody downloads them. */
export function produce(service: Service, task: Task, endedAt: number): Result {
	const expiresAt = endedAt + service.settings.linkTtl[task.family];
	const shelve: Shelf = (suffix, contentType, content) =>
		service.files.add({ name: `${task.id}-${suffix}`, contentType, content, expiresAt, padTo: task.padTo });
	const { plan } = task;
	switch (plan.family) {
		case 'image':
			return { family: 'image', files: pictures(plan, shelve) };
		case 'music':
			return music(plan, shelve);
		case 'grid':
			return { family: 'grid', images: pictures(plan, shelve), grid: gridPicture(plan, shelve) };
		case 'video':
			return { family: 'video', file: shelve('1.mp4', 'video/mp4', { type: 'clip', clip: plan.clip }) };
	}
}

/** Links of everything that a task has produced. */
export function filesOf(result: Result | null): readonly StoredFile[] {
	switch (result?.family) {
		case undefined:
			return [];
		case 'image':
			return result.files;
		case 'music':
			return [...result.tracks, ...Object.values(result.stems)];
		case 'grid':
			return result.grid ? [result.grid, ...result.images] : result.images;
		case 'video':
			return [result.file];
	}
}

function pictures(plan: ImagePlan | GridPlan, shelve: Shelf): StoredFile[] {
	return plan.pictures.map((picture: PictureSpec, index) =>
		shelve(`${index + 1}.${picture.format}`, `image/${picture.format}`, { type: 'picture', picture }),
	);
}

function gridPicture(plan: GridPlan, shelve: Shelf): StoredFile | null {
	if (plan.pictures.length !== 4) return null;
	return shelve('grid.png', 'image/png', { type: 'composite', pictures: plan.pictures });
}

function music(plan: MusicPlan, shelve: Shelf): Result {
	const wav = (suffix: string, track: TrackSpec) => shelve(`${suffix}.wav`, 'audio/wav', { type: 'track', track });
	return {
		family: 'music',
		tracks: plan.tracks.map((track, index) => wav(String(index + 1), track)),
		stems: Object.fromEntries(Object.entries(plan.stems).map(([name, track], index) => [name, wav(`stem-${index + 1}`, track)])),
	};
}
