import type { ClipSpec } from '../../media/clip';
import type { PictureSpec } from '../../media/picture';
import type { TrackSpec } from '../../media/track';

/** What a file holds: bytes as they were uploaded, or a description from which they are made when first asked for. */
export type FileContent =
	| { type: 'bytes'; bytes: Buffer }
	| { type: 'picture'; picture: PictureSpec }
	| { type: 'composite'; pictures: readonly PictureSpec[] }
	| { type: 'track'; track: TrackSpec }
	| { type: 'clip'; clip: ClipSpec }
	| { type: 'blob' };

/** Something that the service hands out at `/files/<name>`. */
export interface StoredFile {
	readonly name: string;
	readonly contentType: string;
	readonly content: FileContent;
	/** Clock milliseconds after which the link is dead; `null` for never. */
	readonly expiresAt: number | null;
	/** Make the file this many bytes long, by padding it; `null` leaves it as it is. */
	readonly padTo: number | null;
}
