import type { Page } from 'playwright-core';

export interface Picture {
	name: string;
	type: string;
	data: Buffer;
}

const WIDTH = 1_000;

/** Transparent parts of a picture are seen as gray squares. */
const STYLE = `
	body { margin: 0; background: #fff; font: 15px sans-serif; color: #333 }
	main { display: flex; flex-wrap: wrap; gap: 20px; padding: 20px; width: ${WIDTH}px; box-sizing: border-box }
	figure { margin: 0 }
	img { height: 190px; max-width: 100%; display: block; background: repeating-conic-gradient(#ccc 0 25%, #eee 0 50%) 0 / 20px 20px }
	figcaption { margin-top: 6px }
`;

const escape = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** Draws pictures side by side, each with the name of its file under it. */
export async function contactSheet(page: Page, pictures: Picture[]): Promise<Buffer> {
	const figures = pictures.map(
		({ name, type, data }) =>
			`<figure><img src="data:${type};base64,${data.toString('base64')}"><figcaption>${escape(name)}</figcaption></figure>`,
	);
	await page.setContent(`<style>${STYLE}</style><main>${figures.join('')}</main>`, {
		waitUntil: 'load',
	});
	return page.locator('main').screenshot();
}
