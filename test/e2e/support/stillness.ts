import type { BrowserContext, Page } from 'playwright-core';

const STILL = `*, *::before, *::after {
	transition-duration: 0s !important;
	transition-delay: 0s !important;
	animation-duration: 0s !important;
	animation-delay: 0s !important;
}`;

/** Lets lists and panels open and close at once: nobody watches, and each transition would be waited for. */
export async function stopTransitions(context: BrowserContext): Promise<void> {
	await context.addInitScript((css) => {
		document.addEventListener('DOMContentLoaded', () => {
			document.head.append(Object.assign(document.createElement('style'), { textContent: css }));
		});
	}, STILL);
}

/** Just under the header of the canvas, where no node is once the workflow has been fitted in. */
const EMPTY_SPOT = [300, 80] as const;

/** Moves the mouse and the focus away: the element under them is drawn differently. */
export async function leaveAlone(page: Page): Promise<void> {
	await page.mouse.move(...EMPTY_SPOT);
	await page.evaluate(() => {
		if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
	});
}
