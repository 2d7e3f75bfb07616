import fc from 'fast-check';
import sharp from 'sharp';

import { MediaGenImage } from '../../../nodes/MediaGenImage/MediaGenImage.node';
import { OFFICIAL_RESOLUTIONS, SIZE_BY_RESOLUTION } from '../../../nodes/shared/api/image';
import { readBinary, runNode } from '../support/engine';
import { generatePicture } from '../support/generatePicture';
import { useSandbox } from '../support/sandbox';

const service = useSandbox();

test('a picture has the pixels that the panel shows for its size and resolution', async () => {
	const size = fc.constantFrom(...Object.entries(SIZE_BY_RESOLUTION));
	const resolution = fc.constantFrom(...OFFICIAL_RESOLUTIONS);
	await fc.assert(
		fc.asyncProperty(size, resolution, async ([ratio, pixels], detail) => {
			const { items, error } = await runNode({
				node: new MediaGenImage(),
				parameters: {
					...generatePicture,
					size: ratio,
					additionalFields: { resolution: detail, outputFormat: 'jpeg' },
					options: { pollInterval: 1 },
				},
				credential: service.credential(),
			});
			expect(error).toBeUndefined();
			const file = await readBinary(items[0]?.binary?.data);
			const { width, height, format } = await sharp(file).metadata();
			expect(pixels[detail]).toContain(`${width}x${height}`);
			expect(format).toBe('jpeg');
		}),
		{ numRuns: 15 },
	);
}, 120_000);
