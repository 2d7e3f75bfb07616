import type { Locator, Page } from 'playwright-core';
import { dismissMessages, messageAfter } from './messages';
import { leaveAlone } from './stillness';

/** Below the last field of a picture. */
const MARGIN_PX = 24;

export type OutputView = 'schema' | 'table' | 'json' | 'binary';

/** The panel of one node: its fields in the middle, its input on the left, its output on the right. */
export class NodePanel {
	readonly root: Locator;

	readonly output: Locator;

	constructor(private readonly page: Page) {
		this.root = page.getByTestId('ndv');
		this.output = page.getByTestId('output-panel');
	}

	/** The labels of the fields that are shown, from top to bottom, those inside collections included. */
	async labels(): Promise<string[]> {
		const shown = this.fields.getByTestId('input-label').filter({ visible: true });
		const texts = await shown.evaluateAll((labels) =>
			labels.map((label) => label.querySelector('.n8n-text')?.textContent ?? ''),
		);
		return texts.map((text) => text.replace(/\s*\*$/, '').trim()).filter((text) => text !== '');
	}

	/** Whether the value of a field is seen without scrolling. */
	async seesValueOf(field: string): Promise<boolean> {
		const [shown, panel] = [await this.input(field).boundingBox(), await this.root.boundingBox()];
		if (!shown || !panel) throw new Error(`The panel does not show the field "${field}".`);
		return shown.y + shown.height / 2 <= panel.y + panel.height;
	}

	/** The notices between the fields. */
	async notices(): Promise<string[]> {
		const shown = this.fields.locator('[class*="notice"]').filter({ visible: true });
		return [...new Set(await shown.allInnerTexts())];
	}

	/** Types into a field. */
	async fill(field: string, text: string): Promise<void> {
		await this.input(field).locator('input, textarea').first().fill(text);
	}

	/** Clicks "Execute step" and gives the message that n8n shows at the end; it runs the nodes before this one, too. */
	async execute(timeout = 60_000): Promise<string> {
		return messageAfter(
			this.page,
			() => this.page.getByTestId('node-execute-button').click(),
			timeout,
		);
	}

	/** Turns the output to one of its views. */
	async show(view: OutputView): Promise<void> {
		await this.output.getByTestId(`radio-button-${view}`).click();
	}

	/** Shows the file of an item, which counts from 0, in the binary view; for a picture that is an `img`. */
	async viewFile(item: number): Promise<Locator> {
		await this.show('binary');
		await this.output.getByTestId('ndv-view-binary-data').nth(item).click();
		const shown = this.output.locator('img, video, audio').first();
		await shown.waitFor();
		return shown;
	}

	/** The fields of the input items, from top to bottom: of a node that has not run yet, those that it usually puts out. Each name once. */
	async inputFields(): Promise<string[]> {
		const names = await this.page
			.getByTestId('ndv-input-panel')
			.getByTestId('run-data-schema-item')
			.allInnerTexts();
		return [...new Set(names.map((name) => name.trim()))];
	}

	/** What the node failed with, as the output shows it. */
	async error(): Promise<{ message: string; description: string }> {
		const message = await this.output.getByTestId('node-error-message').innerText();
		const description = this.output.getByTestId('node-error-description');
		return {
			message,
			description: (await description.count()) > 0 ? await description.innerText() : '',
		};
	}

	/** The middle of the panel, with what is set in it. */
	get settings(): Locator {
		return this.root.locator('.node-settings');
	}

	/** Takes a picture of the fields as PNG, down to the last of them. */
	async screenshot(): Promise<Buffer> {
		await dismissMessages(this.page);
		await leaveAlone(this.page);
		const frame = await this.settings.boundingBox();
		if (!frame) throw new Error('The panel is not open.');
		const bottoms = await this.fields
			.getByTestId('parameter-item')
			.filter({ visible: true })
			.evaluateAll((items) => items.map((item) => item.getBoundingClientRect().bottom));
		const height = Math.min(frame.height, Math.max(...bottoms) - frame.y + MARGIN_PX);
		return this.page.screenshot({
			clip: { ...frame, height },
			animations: 'disabled',
			caret: 'hide',
		});
	}

	/** Takes a picture of the output as PNG. */
	async screenshotOfOutput(): Promise<Buffer> {
		await dismissMessages(this.page);
		await leaveAlone(this.page);
		return this.output.screenshot({ animations: 'disabled', caret: 'hide' });
	}

	/** Back to the canvas, where the panel is open. */
	async close(): Promise<void> {
		if (!(await this.root.isVisible())) return;
		// Escape would first leave the list that has the focus.
		const button = this.page
			.getByTestId('back-to-canvas')
			.or(this.page.getByTestId('ndv-close-button'));
		await button.filter({ visible: true }).first().click();
		await this.root.waitFor({ state: 'hidden' });
	}

	private get fields(): Locator {
		return this.root.getByTestId('node-parameters');
	}

	private input(field: string): Locator {
		return this.root.getByTestId(`parameter-input-${field}`).filter({ visible: true }).first();
	}
}
