import sharp from 'sharp';
import { detectImage } from '../media/magicBytes';
import type { Media } from '../media/media';
import type { Size } from '../media/size';
import { invalid } from './errors';
import type { Files } from './store/files';

const DATA_URI_HEAD = /^data:image\/(jpeg|png|webp);base64,/;

/** Without a repetition: one over ten million characters can exhaust the stack. */
const NOT_BASE64 = /[^A-Za-z0-9+/=]|=[^=]|={3}/;

/** Number of base64 characters that contain the first bytes of a format. */
const MAGIC_LETTERS = 64;

interface ReferenceLimits {
	/** Bytes. */
	each?: number;
	total?: number;
	dataUris?: boolean;
}

/** Checks the images that a request refers to. */
export class References {
	constructor(
		private readonly files: Files,
		private readonly media: Media,
	) {}

	/**
	 * Checks form, existence and size of reference images. Addresses on other hosts are accepted unchecked: the sandbox
	 * makes no requests to them.
	 * @throws ServiceError 400
	 */
	async check(
		urls: readonly string[],
		field: string,
		{ each = Infinity, total: most = Infinity, dataUris = false }: ReferenceLimits = {},
	): Promise<void> {
		let total = 0;
		for (const [index, url] of urls.entries()) {
			const bytes = await this.bytesOf(url, dataUris, `${field}[${index}]`);
			if (bytes > each) throw invalid(`${field}[${index}]: ${bytes} bytes, at most ${each}`);
			total += bytes;
		}
		if (total > most) throw invalid(`${field}: ${total} bytes in all, at most ${most}`);
	}

	/** Size and alpha channel of one of the sandbox's own images; `null` for another host. */
	async inspect(url: string): Promise<(Size & { hasAlpha: boolean }) | null> {
		const bytes = url.startsWith('data:')
			? Buffer.from(url.slice(url.indexOf(',') + 1), 'base64')
			: await this.ownBytes(url);
		if (bytes === null) return null;
		try {
			const { width, height, hasAlpha } = await sharp(bytes).metadata();
			return { width, height, hasAlpha };
		} catch {
			throw invalid(`${url.slice(0, 100)} is not a picture`);
		}
	}

	private async bytesOf(url: string, dataUris: boolean, field: string): Promise<number> {
		if (/^https?:\/\//i.test(url) && URL.canParse(url)) return await this.fileSize(url, field);
		const head = dataUris ? DATA_URI_HEAD.exec(url.slice(0, 40))?.[0] : undefined;
		const encoded = head === undefined ? '' : url.slice(head.length);
		if (encoded === '' || NOT_BASE64.test(encoded)) {
			throw invalid(
				`${field}: must be a public http or https URL${dataUris ? ' or a full data URI (jpeg, png, webp)' : ''}`,
			);
		}
		if (!detectImage(Buffer.from(encoded.slice(0, MAGIC_LETTERS), 'base64')))
			throw invalid(`${field}: the data is no picture`);
		return Buffer.byteLength(encoded, 'base64');
	}

	private async fileSize(url: string, field: string): Promise<number> {
		const file = this.files.byUrl(url);
		if (file === 'foreign') return 0;
		if (file === 'gone') throw invalid(`${field}: there is no picture at this address`);
		return file.padTo ?? (await this.media.bytes(file)).length;
	}

	private async ownBytes(url: string): Promise<Buffer | null> {
		const file = this.files.byUrl(url);
		return typeof file === 'object' ? await this.media.bytes(file) : null;
	}
}
