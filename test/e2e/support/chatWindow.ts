import type { Locator, Page } from 'playwright-core';

/** The chat that n8n's editor opens below the canvas of a workflow with a Chat Trigger. */
export class ChatWindow {
	constructor(private readonly page: Page) {}

	/** Opens it, where it is not open, and sends a message. */
	async say(text: string): Promise<void> {
		const input = this.page.getByTestId('chat-input');
		if (!(await input.isVisible())) await this.page.getByTestId('workflow-chat-button').click();
		await input.fill(text);
		await input.press('Enter');
	}

	/** The last message of the workflow that has this text in it. */
	message(text: string): Locator {
		return this.answers.filter({ hasText: text }).last();
	}

	/** The buttons of the last message, which asks for a decision. */
	async buttons(): Promise<string[]> {
		return (await this.answers.last().getByRole('button').allInnerTexts()).map((text) =>
			text.trim(),
		);
	}

	async press(button: string): Promise<void> {
		await this.answers.last().getByRole('button', { name: button, exact: true }).click();
	}

	private get answers(): Locator {
		return this.page.locator('.chat-message-from-bot');
	}
}
