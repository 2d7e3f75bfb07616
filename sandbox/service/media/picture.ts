import sharp from 'sharp';
import type { Size } from './size';
import { lettering } from './lettering';
import { sceneSvg } from './scene';

export const PICTURE_FORMATS = ['png', 'jpeg', 'webp'] as const;

/** What is drawn: the same description always gives the same picture. */
export interface Drawing extends Size {
	/** Determines where things stand. */
	seed: string;
	/** Determines colors and shapes. */
	prompt: string;
	/** A short line in a corner, such as `1/2 · model`. */
	caption: string;
}

/** A sample picture. */
export interface PictureSpec extends Drawing {
	format: (typeof PICTURE_FORMATS)[number];
	/** 0 to 100, for jpeg and webp; `null` for the service's own choice. */
	compression: number | null;
}

const DEFAULT_QUALITY = 85;

/** Draws a picture at its exact size, visibly marked as a sample. */
export async function drawPicture(spec: PictureSpec): Promise<Buffer> {
	const image = sharp(Buffer.from(pictureSvg(spec)), { limitInputPixels: false });
	const quality = Math.max(1, spec.compression ?? DEFAULT_QUALITY);
	switch (spec.format) {
		case 'png':
			return await image.png({ compressionLevel: 4 }).toBuffer();
		case 'jpeg':
			return await image.flatten().jpeg({ quality }).toBuffer();
		case 'webp':
			return await image.webp({ quality, effort: 0 }).toBuffer();
	}
}

/** The picture as SVG: what the prompt asks for, and the word SAMPLE with the caption in a corner. */
export function pictureSvg({ width, height, seed, prompt, caption }: Drawing): string {
	const unit = Math.min(width, height) / 40;
	const mark = lettering(`SAMPLE · ${caption}`, unit);
	const across = mark.width + 2 * unit;
	return [
		`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">`,
		sceneSvg(prompt, seed, { width, height }),
		`<rect x="${width - across}" y="${height - 4 * unit}" width="${across}" height="${2 * unit}" fill="#000" opacity="0.35"/>`,
		`<path fill="#fff" transform="translate(${(width - across + unit).toFixed(1)} ${(height - 2.6 * unit).toFixed(1)})" d="${mark.path}"/>`,
		'</svg>',
	].join('');
}

/** Four pictures of one size as a grid of two by two, pixel for pixel. */
export async function composeGrid(pictures: readonly PictureSpec[]): Promise<Buffer> {
	const parts = await Promise.all(pictures.map(drawPicture));
	const grid = sharp(parts, { join: { across: 2 } });
	return await grid.png({ compressionLevel: 4 }).toBuffer();
}
