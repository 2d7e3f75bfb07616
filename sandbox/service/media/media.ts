import { LRUCache } from 'lru-cache';
import type { FileContent, StoredFile } from '../core/store/file';
import { filmClip } from './clip';
import { composeGrid } from './composite';
import { drawPicture } from './picture';
import { playTrack } from './track';

const CACHE_BYTES = 64 * 1024 * 1024;

/** Makes the bytes of files when they are asked for, once for all who ask at the same time, and keeps the latest. */
export class Media {
	private readonly made = new LRUCache<string, Buffer, StoredFile>({
		maxSize: CACHE_BYTES,
		sizeCalculation: (bytes) => bytes.length + 1,
		fetchMethod: async (_name, _stale, { context }) => await make(context.content),
	});

	async bytes(file: StoredFile): Promise<Buffer> {
		if (file.content.type === 'bytes') return file.content.bytes;
		return await this.made.forceFetch(file.name, { context: file });
	}

	reset(): void {
		this.made.clear();
	}
}

async function make(content: FileContent): Promise<Buffer> {
	switch (content.type) {
		case 'bytes':
			return content.bytes;
		case 'picture':
			return await drawPicture(content.picture);
		case 'composite':
			return await composeGrid(content.pictures);
		case 'track':
			return playTrack(content.track);
		case 'clip':
			return await filmClip(content.clip);
		case 'blob':
			return Buffer.alloc(0);
	}
}
