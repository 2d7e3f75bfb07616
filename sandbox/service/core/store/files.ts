import type { FileContent, Upload } from '../../media/media';
import type { Clock } from '../time/clocks';

/** Something that the service serves at `/files/<name>`. */
export interface StoredFile {
	readonly name: string;
	readonly contentType: string;
	readonly content: FileContent;
	/** Clock milliseconds after which the link has expired; `null` for never. */
	readonly expiresAt: number | null;
	/** Pad the file to this many bytes; `null` leaves it as it is. */
	readonly padTo: number | null;
}

/** Bytes of all uploads together; the largest that the service takes is 20 MB, of music 100 MB. */
const KEPT_UPLOADS = 256 * 1024 * 1024;

const BLOB = /^\/files\/blob\/(\d{1,12})\.bin$/;
const NAMED = /^\/files\/([^/]+)$/;

/** The files under `/files/…`, expired ones included. */
export class Files {
	private readonly byName = new Map<string, StoredFile>();

	/** Oldest first. */
	private readonly uploads = new Set<Upload>();

	private uploadedBytes = 0;

	constructor(
		private readonly clock: Clock,
		private readonly publicUrl: () => string,
	) {}

	add(file: StoredFile): StoredFile {
		this.byName.set(file.name, file);
		return file;
	}

	/** Content that is kept until later uploads need its room; its links have expired then. */
	keepUpload(bytes: Buffer): FileContent {
		const upload: Upload = { bytes };
		this.uploads.add(upload);
		this.uploadedBytes += bytes.length;
		for (const oldest of this.uploads) {
			if (this.uploadedBytes <= KEPT_UPLOADS) break;
			this.uploadedBytes -= oldest.bytes?.length ?? 0;
			oldest.bytes = null;
			this.uploads.delete(oldest);
		}
		return { type: 'bytes', upload };
	}

	find(name: string): StoredFile | undefined {
		return this.byName.get(name);
	}

	url(file: StoredFile): string {
		return `${this.publicUrl()}/files/${file.name}`;
	}

	isExpired({ content, expiresAt }: StoredFile): boolean {
		if (content.type === 'bytes' && content.upload.bytes === null) return true;
		return expiresAt !== null && expiresAt <= this.clock.now();
	}

	/**
	 * The sandbox's own file behind a URL.
	 * @returns `foreign` for another host, which the sandbox never contacts; `gone` for an address of its own without a
	 * file, or with an expired one
	 */
	byUrl(url: string): StoredFile | 'foreign' | 'gone' {
		const base = this.publicUrl();
		if (!url.startsWith(`${base}/`)) return 'foreign';
		const path = url.slice(base.length).replace(/[?#].*$/, '');
		const blob = BLOB.exec(path)?.[1];
		if (blob) return blobFile(Number(blob));
		const file = this.find(NAMED.exec(path)?.[1] ?? '');
		return file && !this.isExpired(file) ? file : 'gone';
	}
}

/** A file of exactly `bytes` bytes, all of them padding, that is not stored. */
export function blobFile(bytes: number): StoredFile {
	return {
		name: `blob/${bytes}.bin`,
		contentType: 'application/octet-stream',
		content: { type: 'bytes', upload: { bytes: Buffer.alloc(0) } },
		expiresAt: null,
		padTo: bytes,
	};
}
