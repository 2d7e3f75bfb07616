import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Locator } from 'playwright-core';
import sharp from 'sharp';

const FOLDER = join(__dirname, '../../../docs/images');

/** By how much the palette and another machine's smoothing of letters may change a pixel, of 255. */
const TOLERANCE = 32;

/** Above this share of differing pixels a picture is another one. */
const SHARE = 0.005;

/** All that a part of the page says: its texts, and what stands in its fields. */
export async function textIn(part: Locator): Promise<string> {
	const texts = await part.allInnerTexts();
	const values = await part
		.locator('input, textarea')
		.evaluateAll((fields) => fields.map((field) => ('value' in field ? String(field.value) : '')));
	return [...texts, ...values].join('\n');
}

/** Shows the first frame of a video, without controls; leaves a picture as it is. */
export async function stopVideo(file: Locator): Promise<void> {
	await file.evaluate(async (media) => {
		if (!(media instanceof HTMLVideoElement)) return;
		media.pause();
		media.controls = false;
		media.currentTime = 0;
		// The controls stay in the picture until it is drawn again.
		await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
	});
}

/** A text without what differs from run to run: ids, times and ports. */
export const withoutNumbers = (text: string) => text.replace(/[\da-f]*\d[\da-f]*/g, '0');

/** The share of pixels that differ visibly; all of them where the sizes differ. */
async function differing(one: Buffer, other: Buffer): Promise<number> {
	const [a, b] = await Promise.all([sharp(one).metadata(), sharp(other).metadata()]);
	if (a.width !== b.width || a.height !== b.height) return 1;
	const differences = await sharp(one)
		.composite([{ input: other, blend: 'difference' }])
		.png()
		.toBuffer();
	const marked = await sharp(differences)
		.removeAlpha()
		.greyscale()
		.threshold(TOLERANCE)
		.png()
		.toBuffer();
	const [white] = (await sharp(marked).stats()).channels;
	return (white?.mean ?? 255) / 255;
}

/**
 * Keeps a picture in docs/images. One that is there already stays as it is while it shows the same: two machines never draw
 * the same to the last pixel, and a run of the tests must not change files for that.
 *
 * @param says the text in the picture; where that has changed, it is another picture, however small the change is to see
 */
export async function keepPicture(name: string, png: Buffer, says: string): Promise<void> {
	const mark = createHash('sha256').update(says).digest('hex');
	const path = join(FOLDER, `${name}.png`);
	const there = await readFile(path).catch(() => undefined);
	if (there) {
		const { exif } = await sharp(there).metadata();
		if (exif?.includes(mark) && (await differing(there, png)) < SHARE) return;
	}
	const small = sharp(png)
		.removeAlpha()
		.png({ palette: true, colours: 128, effort: 10, compressionLevel: 9 });
	await writeFile(path, await small.withExif({ IFD0: { ImageDescription: mark } }).toBuffer());
}
