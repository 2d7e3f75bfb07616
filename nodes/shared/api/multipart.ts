import { randomUUID } from 'crypto';

import { ApiError, asError } from './errors';

const CRLF = '\r\n';

/** Quotes a name for a `Content-Disposition` header as browsers do (RFC 7578, section 2). */
const quoted = (name: string) => `"${name.replace(/["\r\n]/g, encodeURIComponent)}"`;

export type Pieces = Iterable<Buffer> | AsyncIterable<Buffer>;

/** A file that can be read again. */
export interface FileSource {
	fileName: string;
	mimeType: string;
	/** Its exact size. */
	bytes: number;
	open: () => Pieces;
}

/**
 * A multipart form with one file and any number of text fields. The file is read while the form is sent, again for each attempt: no copy of
 * it is kept in memory. n8n's HTTP client sends anything tagged as `Blob` by its `size`, `type` and `stream`.
 */
export class MultipartForm {
	readonly [Symbol.toStringTag] = 'Blob';

	/** Bytes in all. */
	readonly size: number;

	readonly type: string;

	/** Why the file could not be read: that ends the request. */
	failure: ApiError | undefined;

	private readonly head: Buffer;
	private readonly tail: Buffer;
	private reading: AsyncGenerator<Buffer> | undefined;

	constructor(
		field: string,
		private readonly file: FileSource,
		textFields: ReadonlyArray<readonly [name: string, value: string]> = [],
	) {
		const boundary = `----mediagen-${randomUUID()}`;
		const texts = textFields.flatMap(([name, value]) => [
			`--${boundary}`,
			`Content-Disposition: form-data; name=${quoted(name)}`,
			'',
			value,
		]);
		const head = [
			...texts,
			`--${boundary}`,
			`Content-Disposition: form-data; name=${quoted(field)}; filename=${quoted(file.fileName)}`,
			`Content-Type: ${file.mimeType}`,
			'',
			'',
		];
		this.head = Buffer.from(head.join(CRLF));
		this.tail = Buffer.from(`${CRLF}--${boundary}--${CRLF}`);
		this.size = this.head.length + file.bytes + this.tail.length;
		this.type = `multipart/form-data; boundary=${boundary}`;
	}

	/** Begins to read the form. Its pieces throw an `ApiError` where the file cannot be read, or does not have its stated size. */
	stream(): AsyncGenerator<Buffer> {
		this.close();
		this.reading = this.pieces();
		return this.reading;
	}

	/** Stops reading the file: a service may answer before it has all of it. */
	close(): void {
		void this.reading?.return(undefined).catch(() => {});
	}

	private async *pieces(): AsyncGenerator<Buffer> {
		yield this.head;
		let left = this.file.bytes;
		try {
			for await (const piece of this.file.open()) {
				left -= piece.length;
				if (left < 0) throw new Error('it is larger than its stated size');
				yield piece;
			}
			if (left > 0) throw new Error('it is smaller than its stated size');
		} catch (error) {
			this.failure = new ApiError(`The file could not be read: ${asError(error).message}`);
			throw this.failure;
		}
		yield this.tail;
	}
}
