import type { Locator, Page } from 'playwright-core';
import { dismissMessages } from './messages';
import { leaveAlone } from './stillness';

/** The form of one credential. */
export class CredentialModal {
	readonly root: Locator;

	constructor(private readonly page: Page) {
		this.root = page.getByTestId('editCredential-modal');
	}

	/** Types into a field, by its name. */
	async fill(field: string, text: string): Promise<void> {
		await this.input(field).locator('input, textarea').first().fill(text);
	}

	/** Saves, upon which n8n tests the credential; waits for the outcome. */
	async save(): Promise<'passed' | 'failed'> {
		await this.page.getByTestId('credential-save-button').click();
		const passed = this.page.getByTestId('credentials-config-container-test-success');
		const failed = this.root.getByText('Couldn’t connect with these settings');
		await passed.or(failed).filter({ visible: true }).first().waitFor();
		return (await passed.isVisible()) ? 'passed' : 'failed';
	}

	/** The reason that a failed test shows under "More details". */
	async reason(): Promise<string> {
		await this.root.getByText('More details').click();
		return this.root.innerText();
	}

	/** All that the form shows at this moment. */
	async text(): Promise<string> {
		return this.root.innerText();
	}

	/** Takes a picture of the form as PNG. */
	async screenshot(): Promise<Buffer> {
		await dismissMessages(this.page);
		await leaveAlone(this.page);
		return this.root.screenshot({ animations: 'disabled', caret: 'hide' });
	}

	private input(field: string): Locator {
		return this.root.getByTestId(`parameter-input-${field}`).first();
	}
}
