import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import type { Host } from '../../../sandbox/host';
import { CredentialModal } from './credentialModal';
import { dismissMessages, messageAfter } from './messages';
import { NodePanel } from './nodePanel';

/** A step that a person would have given up on by then. */
const PATIENCE_MS = 20_000;

/** n8n's editor in a browser, with the host's owner logged in. Does what a person does, by what a person sees. */
export class Editor {
	private constructor(
		readonly page: Page,
		private readonly context: BrowserContext,
	) {}

	/** Opens a window of its own. Close it with {@link close}. */
	static async open(browser: Browser, host: Host, viewport = { width: 1440, height: 900 }): Promise<Editor> {
		const context = await browser.newContext({ viewport, baseURL: host.url, reducedMotion: 'reduce' });
		const [name = '', value = ''] = host.api.session.split(/=(.*)/s);
		await context.addCookies([{ name, value, url: host.url }]);
		context.setDefaultTimeout(PATIENCE_MS);
		return new Editor(await context.newPage(), context);
	}

	async close(): Promise<void> {
		await this.context.close();
	}

	/** Shows a workflow's canvas. */
	async openWorkflow(id: string): Promise<void> {
		await this.page.goto(`/workflow/${id}`);
		await this.page.getByTestId('canvas-node').first().waitFor();
	}

	/** Shows an empty canvas. */
	async newWorkflow(): Promise<void> {
		await this.page.goto('/workflow/new');
		await this.page.getByTestId('node-creator-plus-button').waitFor();
	}

	/** Opens the nodes panel, searches, and gives the names that it lists. n8n shows a trigger's without "Trigger". */
	async searchNodes(text: string): Promise<string[]> {
		await this.openNodesPanel();
		await this.page.getByTestId('node-creator-search-bar').fill(text);
		const listed = this.page.getByTestId('node-creator-item-name');
		await listed.or(this.page.getByTestId('node-creator-no-results')).first().waitFor();
		return (await listed.allTextContents()).map((name) => name.trim());
	}

	/**
	 * Puts a node on the canvas as a person does, by searching for it; n8n opens its panel.
	 *
	 * @param action the line to choose where n8n then lists the node's actions; the first by default
	 */
	async addNode(name: string, action?: string): Promise<NodePanel> {
		await this.searchNodes(name);
		const shown = name.replace(/ Trigger$/, '');
		const items = this.page.getByTestId('node-creator-item-name');
		await items.filter({ hasText: new RegExp(`^\\s*${shown}\\s*$`) }).first().click();
		const panel = this.panel();
		// The list of nodes slides out while that of actions slides in.
		const found = this.page.getByTestId('node-creator-action-item').or(this.page.getByTestId('node-creator-node-item'));
		await found.first().waitFor({ state: 'detached' });
		// A node with one thing to do opens at once; one with more lists them first.
		const listed = (action === undefined ? items : items.filter({ hasText: action })).filter({ visible: true }).first();
		await listed.or(panel.root).first().waitFor();
		if (await listed.isVisible()) await listed.click();
		await panel.root.waitFor();
		return panel;
	}

	/** Opens the panel of a node on the canvas. */
	async openNode(name: string): Promise<NodePanel> {
		await this.node(name).dblclick();
		const panel = this.panel();
		await panel.root.waitFor();
		return panel;
	}

	/** A node on the canvas. */
	node(name: string): Locator {
		return this.page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`);
	}

	/** Clicks "Execute workflow" and gives the message that n8n shows at the end. */
	async execute(timeout = 60_000): Promise<string> {
		return messageAfter(this.page, () => this.page.getByTestId('execute-workflow-button').click(), timeout);
	}

	/** Fits the whole workflow into the window. */
	async zoomToFit(): Promise<void> {
		await this.page.getByTestId('zoom-to-fit').click();
	}

	/** Opens the form for a new credential of the type that is called so, for example `MediaGen API`. */
	async newCredential(typeName: string): Promise<CredentialModal> {
		await this.page.goto('/home/credentials/create');
		const search = this.page.getByTestId('new-credential-type-select');
		await search.click();
		await search.locator('input').fill(typeName);
		await this.page.getByTestId('new-credential-type-select-option').filter({ hasText: typeName }).first().click();
		await this.page.getByTestId('new-credential-type-button').click();
		const modal = new CredentialModal(this.page);
		await modal.root.waitFor();
		return modal;
	}

	/** Saves a picture of the window as PNG, without messages in the corner. */
	async screenshot(path: string): Promise<void> {
		await dismissMessages(this.page);
		await this.page.screenshot({ path, animations: 'disabled', caret: 'hide' });
	}

	private panel(): NodePanel {
		return new NodePanel(this.page);
	}

	private async openNodesPanel(): Promise<void> {
		const search = this.page.getByTestId('node-creator-search-bar');
		if (await search.isVisible()) return;
		await this.page.getByTestId('node-creator-plus-button').click();
		await search.waitFor();
	}
}
