import sharp from 'sharp';
import { drawPicture, type PictureSpec } from './picture';

/** Four pictures of one size as a grid of two by two, pixel for pixel. */
export async function composeGrid(pictures: readonly PictureSpec[]): Promise<Buffer> {
	const { width, height } = pictures[0] ?? { width: 1, height: 1 };
	const parts = await Promise.all(pictures.map(drawPicture));
	return await sharp({ create: { width: width * 2, height: height * 2, channels: 3, background: 'black' } })
		.composite(parts.map((input, index) => ({ input, left: (index % 2) * width, top: Math.floor(index / 2) * height })))
		.png({ compressionLevel: 4 })
		.toBuffer();
}
