import sharp from 'sharp';
import { drawPicture, pictureSvg } from '../../sandbox/service/media/picture';

const spec = {
	width: 400,
	height: 300,
	format: 'png' as const,
	compression: null,
	seed: '1',
	prompt: '',
	caption: '1/1 · model',
};

/** The share of pixels that are near a color. */
async function shareOf([red, green, blue]: [number, number, number], prompt: string) {
	const pixels = await sharp(await drawPicture({ ...spec, prompt }))
		.removeAlpha()
		.raw()
		.toBuffer();
	let near = 0;
	for (let at = 0; at < pixels.length; at += 3) {
		const distance =
			Math.abs((pixels[at] ?? 0) - red) +
			Math.abs((pixels[at + 1] ?? 0) - green) +
			Math.abs((pixels[at + 2] ?? 0) - blue);
		if (distance < 24) near += 1;
	}
	return near / (pixels.length / 3);
}

const RED: [number, number, number] = [200, 67, 58];
const NIGHT: [number, number, number] = [16, 24, 47];

test.each([
	['a red boat on the sea', 'a blue boat on the sea', RED],
	['a harbor at night', 'a harbor at noon', NIGHT],
])('"%s" shows what "%s" does not', async (prompt, other, color) => {
	expect(await shareOf(color, prompt)).toBeGreaterThan(0.01);
	expect(await shareOf(color, other)).toBeLessThan(0.001);
});

test('the same description gives the same picture, another number another one', () => {
	const prompt = 'a lighthouse in the fog';
	expect(pictureSvg({ ...spec, prompt })).toBe(pictureSvg({ ...spec, prompt }));
	expect(pictureSvg({ ...spec, prompt, seed: '2' })).not.toBe(pictureSvg({ ...spec, prompt }));
});

test.each(['', '<script>', 'constructor toString', '日本の港', 'x'.repeat(100_000)])(
	'any prompt gives a picture: %.20s',
	async (prompt) => {
		const { width, height } = await sharp(await drawPicture({ ...spec, prompt })).metadata();
		expect([width, height]).toEqual([400, 300]);
	},
);
