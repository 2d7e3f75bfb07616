import type { StoredFile } from './file';
import type { Clock } from '../time/clock';

const BLOB = /^\/files\/blob\/(\d{1,12})\.bin$/;
const NAMED = /^\/files\/([^/]+)$/;

/** What `/files/…` serves, and what it once served. */
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
	 * @returns `foreign` for an address elsewhere, which the sandbox takes on trust; `gone` for one of its own that it
	 * cannot serve any more, or never could
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

/** A file of exactly `bytes` bytes that nobody has to store. */
export function blobFile(bytes: number): StoredFile {
	return {
		name: `blob/${bytes}.bin`,
		contentType: 'application/octet-stream',
		content: { type: 'blob' },
		expiresAt: null,
		padTo: bytes,
	};
}
