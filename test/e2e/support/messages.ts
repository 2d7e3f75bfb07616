import type { Page } from 'playwright-core';

const MESSAGE = '.el-notification';

/** Closes the messages in the corner, which cover what is behind them. */
export async function dismissMessages(page: Page): Promise<void> {
	for (const close of await page.locator(`${MESSAGE} .el-notification__closeBtn`).all()) {
		// A message may close by itself at this moment.
		await close.click({ timeout: 10_000 }).catch(() => {});
	}
	await page.locator(MESSAGE).first().waitFor({ state: 'detached' });
}

/** Does something and gives the message that n8n then shows in the corner. */
export async function messageAfter(
	page: Page,
	act: () => Promise<void>,
	timeout: number,
): Promise<string> {
	await dismissMessages(page);
	await act();
	const message = page.locator(MESSAGE).first();
	await message.waitFor({ timeout });
	return message.innerText();
}
