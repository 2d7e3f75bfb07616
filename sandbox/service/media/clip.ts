import { createH264MP4Encoder } from 'h264-mp4-encoder';
import sharp from 'sharp';
import type { Size } from './size';
import { pictureSvg, type Drawing } from './picture';

/** A sample video: a marked picture with a progress bar at the bottom. */
export interface ClipSpec extends Drawing {
	seconds: number;
	/** The frame rate of the real service; samples are encoded at no more than `SAMPLE_FPS`. */
	fps: number;
}

/** Few frames make encoding fast; the length is exact. */
export const SAMPLE_FPS = 4;
const BAR_HEIGHT = 16;
const BRIGHT = 220;
const NEUTRAL = 128;

let made = 0;

/** An MP4 (H.264) of exact size and length. Yields to other work between two frames. */
export async function filmClip(spec: ClipSpec): Promise<Buffer> {
	const { width, height } = spec;
	const fps = Math.min(spec.fps, SAMPLE_FPS);
	const frames = Math.max(1, Math.round(spec.seconds * fps));
	const frame = await yuvFrame(spec);

	const encoder = await createH264MP4Encoder();
	try {
		made += 1;
		// All encoders share one virtual file system.
		encoder.outputFilename = `clip-${made}.mp4`;
		Object.assign(encoder, { width, height, frameRate: fps, speed: 10, groupOfPictures: fps * 5 });
		encoder.initialize();
		for (let index = 1; index <= frames; index += 1) {
			drawBar(frame, spec, Math.floor((width * index) / frames));
			encoder.addFrameYuv(frame);
			await new Promise((resolve) => setImmediate(resolve));
		}
		encoder.finalize();
		const bytes = Buffer.from(encoder.FS.readFile(encoder.outputFilename));
		encoder.FS.unlink(encoder.outputFilename);
		return bytes;
	} finally {
		encoder.delete();
	}
}

function drawBar(frame: Uint8Array, { width, height }: Size, length: number): void {
	for (let row = height - BAR_HEIGHT; row < height; row += 1)
		frame.fill(BRIGHT, row * width, row * width + length);
}

/** The picture as one plane of luminance and two of chrominance at half the size. */
async function yuvFrame(spec: ClipSpec): Promise<Uint8Array> {
	const { width, height } = spec;
	const rgb = await sharp(Buffer.from(pictureSvg(spec)))
		.removeAlpha()
		.raw()
		.toBuffer();
	const pixels = width * height;
	const frame = new Uint8Array(pixels + 2 * (pixels >> 2)).fill(NEUTRAL, pixels);
	for (let y = 0; y < height; y += 1) {
		for (let x = 0; x < width; x += 1) {
			const at = y * width + x;
			const [r, g, b] = [rgb[at * 3] ?? 0, rgb[at * 3 + 1] ?? 0, rgb[at * 3 + 2] ?? 0];
			frame[at] = 16 + 0.257 * r + 0.504 * g + 0.098 * b;
			if (y % 2 === 0 && x % 2 === 0 && y < height - BAR_HEIGHT) {
				const color = (y >> 1) * (width >> 1) + (x >> 1);
				frame[pixels + color] = 128 - 0.148 * r - 0.291 * g + 0.439 * b;
				frame[pixels + (pixels >> 2) + color] = 128 + 0.439 * r - 0.368 * g - 0.071 * b;
			}
		}
	}
	return frame;
}
