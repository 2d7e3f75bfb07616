import sharp from 'sharp';

import { MediaGenImage } from '../../../nodes/MediaGenImage/MediaGenImage.node';
import { OFFICIAL_RESOLUTIONS, SIZE_BY_RESOLUTION } from '../../../nodes/shared/api/image';
import { officialSize } from '../../../sandbox/service/image/sizes';
import { ok, readBinary, runNode } from '../support/engine';
import { generatePicture } from '../support/generatePicture';
import { useSandbox } from '../support/sandbox';

const service = useSandbox();

const SHOWN = Object.entries(SIZE_BY_RESOLUTION);

test.each(SHOWN)('the panel shows for %s the pixels that the service makes', (ratio, pixels) => {
	for (const resolution of OFFICIAL_RESOLUTIONS) {
		const { width, height } = officialSize(ratio, resolution);
		expect(pixels[resolution]).toContain(`${width}x${height}`);
	}
});

test.each([
	['3:1', '1k'],
	['9:21', '2k'],
	['4:3', '4k'],
] as const)('a picture has these pixels: %s in %s', async (size, resolution) => {
	const { items } = await runNode({
		node: new MediaGenImage(),
		parameters: {
			...generatePicture,
			size,
			additionalFields: { resolution, outputFormat: 'jpeg' },
			options: { pollInterval: 1 },
		},
		credential: service.credential(),
	}).then(ok);
	const file = await readBinary(items[0]?.binary?.data);
	const { width, height, format } = await sharp(file).metadata();
	expect(SIZE_BY_RESOLUTION[size][resolution]).toContain(`${width}x${height}`);
	expect(format).toBe('jpeg');
});
