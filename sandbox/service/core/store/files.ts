import type { FileContent } from '../../media/media';
import type { Clock } from '../time/clock';

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

const BLOB = /^\/files\/blob\/(\d{1,12})\.bin$/;
const NAMED = /^\/files\/([^/]+)$/;

/** The files under `/files/…`, expired ones included. */
export class Files {
	private readonly byName = new Map<string, StoredFile>();

	constructor(
		private readonly clock: Clock,
		private readonly publicUrl: () => string,
	) {}

	add(file: StoredFile): StoredFile {
		this.byName.set(file.name, file);
		return file;
	}

	find(name: string): StoredFile | undefined {
		return this.byName.get(name);
	}

	url(file: StoredFile): string {
		return `${this.publicUrl()}/files/${file.name}`;
	}

	isExpired(file: StoredFile): boolean {
		return file.expiresAt !== null && file.expiresAt <= this.clock.now();
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

	reset(): void {
		this.byName.clear();
	}
}

/** A file of exactly `bytes` bytes that is not stored. */
export function blobFile(bytes: number): StoredFile {
	return {
		name: `blob/${bytes}.bin`,
		contentType: 'application/octet-stream',
		content: { type: 'blob' },
		expiresAt: null,
		padTo: bytes,
	};
}
