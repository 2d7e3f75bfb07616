import { createHash } from 'node:crypto';
import sharp from 'sharp';
import type { Size } from './size';
import { lettering, wrap } from './lettering';

export type PictureFormat = 'png' | 'jpeg' | 'webp';

/** A sample picture: the same description always gives the same bytes. */
export interface PictureSpec extends Size {
	format: PictureFormat;
	/** 0 to 100, for jpeg and webp; `null` for the service's own choice. */
	compression: number | null;
	/** Determines the colors. */
	seed: string;
	prompt: string;
	/** A short line under the prompt, such as `1/2 · model`. */
	caption: string;
}

const DEFAULT_QUALITY = 85;
/** More than a few lines would be too small to read. */
const PROMPT_LINES = 3;
const LONGEST_PROMPT = 200;

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

/** The picture as SVG: a background of two colors, the word SAMPLE, the prompt and the caption. */
export function pictureSvg({
	width,
	height,
	seed,
	prompt,
	caption,
}: Omit<PictureSpec, 'format' | 'compression'>): string {
	const hue = createHash('sha256').update(seed).digest().readUInt16BE(0) % 360;
	const unit = Math.min(width, height) / 20;
	const mark = lettering('SAMPLE', unit * 4);
	const lines = wrap(prompt.slice(0, LONGEST_PROMPT), unit, width - 4 * unit, PROMPT_LINES);
	const small = lettering(`${caption} · ${width} x ${height}`, unit * 0.7);
	const text = lines.map((line, row) =>
		at(2 * unit, 2.5 * unit + row * unit * 1.4, lettering(line, unit).path),
	);
	return [
		`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">`,
		`<rect width="100%" height="100%" fill="hsl(${hue},45%,38%)"/>`,
		`<polygon points="0,${height} ${width},0 ${width},${height}" fill="hsl(${(hue + 40) % 360},50%,48%)"/>`,
		`<circle cx="${width / 2}" cy="${height / 2}" r="${unit * 6}" fill="hsl(${(hue + 180) % 360},40%,60%)" opacity="0.35"/>`,
		`<g fill="#fff" opacity="0.85">${at((width - mark.width) / 2, height / 2 + unit * 1.5, mark.path)}</g>`,
		`<g fill="#fff">${text.join('')}${at(2 * unit, height - 1.5 * unit, small.path)}</g>`,
		'</svg>',
	].join('');
}

function at(x: number, y: number, path: string): string {
	return `<path transform="translate(${x.toFixed(1)} ${y.toFixed(1)})" d="${path}"/>`;
}

/** Four pictures of one size as a grid of two by two, pixel for pixel. */
export async function composeGrid(pictures: readonly PictureSpec[]): Promise<Buffer> {
	const { width, height } = pictures[0] ?? { width: 1, height: 1 };
	const parts = await Promise.all(pictures.map(drawPicture));
	return await sharp({
		create: { width: width * 2, height: height * 2, channels: 3, background: 'black' },
	})
		.composite(
			parts.map((input, index) => ({
				input,
				left: (index % 2) * width,
				top: Math.floor(index / 2) * height,
			})),
		)
		.png({ compressionLevel: 4 })
		.toBuffer();
}
