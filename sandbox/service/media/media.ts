import { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import { filmClip, type ClipSpec } from './clip';
import { composeGrid, drawPicture, type PictureSpec } from './picture';
import { playTrack, type TrackSpec } from './track';

/** The bytes of an upload; `null` once it has made room for later ones. */
export interface Upload {
	bytes: Buffer | null;
}

/** A description from which bytes are made at the first download. */
type Sample =
	| { type: 'picture'; picture: PictureSpec }
	| { type: 'composite'; pictures: readonly PictureSpec[] }
	| { type: 'track'; track: TrackSpec }
	| { type: 'clip'; clip: ClipSpec };

/** The content of a file: uploaded bytes, or the description of a sample. */
export type FileContent = { type: 'bytes'; upload: Upload } | Sample;

const CACHE_BYTES = 64 * 1024 * 1024;

/** Makes the bytes of files on request, once for simultaneous requests, and keeps the latest. */
export class Media {
	private readonly made = new LRUCache<string, Buffer, { sample: Sample }>({
		maxSize: CACHE_BYTES,
		sizeCalculation: (bytes) => bytes.length + 1,
		fetchMethod: async (_name, _stale, { context }) => await make(context.sample),
	});

	async bytes({ name, content }: { name: string; content: FileContent }): Promise<Buffer> {
		if (content.type === 'bytes') return content.upload.bytes ?? Buffer.alloc(0);
		return await this.made.forceFetch(name, { context: { sample: content } });
	}
}

async function make(content: Sample): Promise<Buffer> {
	switch (content.type) {
		case 'picture':
			return await drawPicture(content.picture);
		case 'composite':
			return await composeGrid(content.pictures);
		case 'track':
			return playTrack(content.track);
		case 'clip':
			return await filmClip(content.clip);
	}
}

const CHUNK = 64 * 1024;

/** Repeats with every chunk, so that a file of any size needs no memory, and does not compress to nothing. */
const PATTERN = Buffer.from(
	Uint8Array.from({ length: CHUNK }, (_, index) => (index * 167 + (index >> 8) * 59) & 0xff),
);

/**
 * A stream of exactly `bytes` bytes: first `head`, then padding.
 * @param head what the stream starts with; cut off where it is longer
 */
export function paddedStream(bytes: number, head: Buffer): Readable {
	return Readable.from(padding(bytes, head), { objectMode: false });
}

function* padding(bytes: number, head: Buffer): Generator<Buffer> {
	if (head.length > 0 && bytes > 0) yield head.subarray(0, bytes);
	for (let left = bytes - head.length; left > 0; left -= CHUNK)
		yield PATTERN.subarray(0, Math.min(left, CHUNK));
}
