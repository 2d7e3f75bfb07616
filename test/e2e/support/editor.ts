import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import type { Host } from '../../../sandbox/host';
import { userAgentOf } from './browser';
import { CredentialModal } from './credentialModal';
import { dismissMessages, messageAfter } from './messages';
import { NodePanel } from './nodePanel';
import { leaveAlone, stopTransitions } from './stillness';

/** A step that a person would have given up on by then. Beside three starting n8n, a page took more than 20 s to show its canvas. */
const PATIENCE_MS = 60_000;

/** n8n's editor in a browser, with the host's owner logged in. Does what a person does, by what a person sees. */
export class Editor {
	/** What the page has reported as errors, without requests that failed: n8n makes some to services that are turned off here. */
	readonly errors: string[] = [];

	private constructor(
		readonly page: Page,
		private readonly context: BrowserContext,
	) {
		page.on('pageerror', (error) => this.errors.push(error.message));
		page.on('console', (message) => {
			if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
				this.errors.push(message.text());
		});
	}

	/**
	 * Opens a window of its own. Close it with {@link close}.
	 *
	 * @param scale pixels of a picture per pixel of the window
	 */
	static async open(
		browser: Browser,
		host: Host,
		viewport = { width: 1440, height: 900 },
		scale = 1,
	): Promise<Editor> {
		const context = await browser.newContext({
			viewport,
			userAgent: userAgentOf(browser),
			baseURL: host.url,
			reducedMotion: 'reduce',
			deviceScaleFactor: scale,
		});
		await stopTransitions(context);
		const [name = '', value = ''] = host.api.session.split(/=(.*)/s);
		await context.addCookies([{ name, value, url: host.url }]);
		context.setDefaultTimeout(PATIENCE_MS);
		return new Editor(await context.newPage(), context);
	}

	async close(): Promise<void> {
		await this.context.close();
	}

	/** Shows a workflow's canvas, or a past execution of it. */
	async openWorkflow(id: string, executionId?: string): Promise<void> {
		await this.page.goto(`/workflow/${id}${executionId ? `/executions/${executionId}` : ''}`);
		await this.page.getByTestId('canvas-node').first().waitFor();
	}

	/** Shows an empty canvas. */
	async newWorkflow(): Promise<void> {
		await this.page.goto('/workflow/new');
		await this.page.getByTestId('node-creator-plus-button').waitFor();
	}

	/**
	 * Opens the nodes panel, searches, and gives the names that it lists. n8n shows a trigger's without "Trigger".
	 *
	 * @param expected part of a name that is to be among them; what was searched for by default
	 */
	async searchNodes(text: string, expected = text): Promise<string[]> {
		await this.enterSearch(text);
		const listed = this.page.getByTestId('node-creator-item-name');
		// What was listed before the search stays for a moment.
		const found = listed.filter({ hasText: expected });
		await found.or(this.page.getByTestId('node-creator-no-results')).first().waitFor();
		return (await listed.allTextContents()).map((name) => name.trim());
	}

	/**
	 * Puts a node on the canvas as a person does, by searching for it; n8n opens its panel.
	 *
	 * @param action the line to choose where n8n then lists the node's actions; the first by default
	 */
	async addNode(name: string, action?: string): Promise<NodePanel> {
		await this.enterSearch(name);
		const shown = name.replace(/ Trigger$/, '');
		const items = this.page.getByTestId('node-creator-item-name');
		await items
			.filter({ hasText: new RegExp(`^\\s*${shown}\\s*$`) })
			.first()
			.click();
		const panel = this.panel();
		// The list of nodes slides out while that of actions slides in.
		const found = this.page
			.getByTestId('node-creator-action-item')
			.or(this.page.getByTestId('node-creator-node-item'));
		await found.first().waitFor({ state: 'detached' });
		// A node with one thing to do opens at once; one with more lists them first.
		const listed = (action === undefined ? items : items.filter({ hasText: action }))
			.filter({ visible: true })
			.first();
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

	/** The panel that is open. */
	panel(): NodePanel {
		return new NodePanel(this.page);
	}

	/** A node on the canvas. */
	node(name: string): Locator {
		return this.page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`);
	}

	/** The list of nodes to add, where it is open. */
	get nodesPanel(): Locator {
		return this.page.getByTestId('node-creator');
	}

	/** Clicks "Execute workflow" and gives the message that n8n shows at the end. */
	async execute(timeout = 60_000): Promise<string> {
		return messageAfter(
			this.page,
			() => this.page.getByTestId('execute-workflow-button').click(),
			timeout,
		);
	}

	/** Clicks the button beside a trigger, in a workflow with several of them; n8n shows it only under the mouse. */
	async executeFrom(trigger: string): Promise<void> {
		await this.page.getByTestId(`execute-workflow-button-${trigger}`).dispatchEvent('click');
	}

	/** Waits until a node bears the mark of success. */
	async untilSucceeded(name: string, timeout = 120_000): Promise<void> {
		await this.node(name).getByTestId('canvas-node-status-success').waitFor({ timeout });
	}

	/** Leaves n8n for an empty page. */
	async blankPage(): Promise<Page> {
		await this.page.goto('about:blank');
		return this.page;
	}

	/** Fits the whole workflow into the window, above the button that lies over the canvas. */
	async zoomToFit(): Promise<void> {
		await this.page.getByTestId('zoom-to-fit').click();
		await this.untilStill();
		while (await this.isCovered()) {
			await this.page.getByTestId('zoom-out-button').click();
			await this.untilStill();
		}
		await leaveAlone(this.page);
		// The canvas notices late that the mouse has left a node.
		await this.page.locator('[class*="_hovered_"]').first().waitFor({ state: 'detached' });
	}

	/** Opens the form for a new credential of the type that is called so, for example `MediaGen API`. */
	async newCredential(typeName: string): Promise<CredentialModal> {
		await this.page.goto('/home/credentials/create');
		const search = this.page.getByTestId('new-credential-type-select');
		await search.click();
		await search.locator('input').fill(typeName);
		await this.page
			.getByTestId('new-credential-type-select-option')
			.filter({ hasText: typeName })
			.first()
			.click();
		await this.page.getByTestId('new-credential-type-button').click();
		const modal = new CredentialModal(this.page);
		await modal.root.waitFor();
		return modal;
	}

	/** Takes a picture of the window as PNG, without messages in the corner. */
	async screenshot(): Promise<Buffer> {
		await dismissMessages(this.page);
		await leaveAlone(this.page);
		return this.page.screenshot({ animations: 'disabled', caret: 'hide' });
	}

	/** n8n moves the canvas in steps of its own. */
	private async untilStill(): Promise<void> {
		const place = async () =>
			this.page.locator('.vue-flow__transformationpane').getAttribute('style');
		for (let before: string | null = null, now = await place(); before !== now; now = await place())
			before = now;
	}

	private async isCovered(): Promise<boolean> {
		// A workflow that starts with a chat has another button.
		const buttons = this.page
			.getByTestId('execute-workflow-button')
			.or(this.page.getByTestId('workflow-chat-button'));
		const button = await buttons.first().boundingBox();
		const bottoms = await this.page
			.locator('.vue-flow__node, .vue-flow__edge')
			.evaluateAll((parts) => parts.map((part) => part.getBoundingClientRect().bottom));
		return Math.max(...bottoms) > (button?.y ?? Infinity);
	}

	/** Opens the nodes panel, where it is not open, and searches. */
	private async enterSearch(text: string): Promise<void> {
		const search = this.page.getByTestId('node-creator-search-bar');
		if (!(await search.isVisible()))
			await this.page.getByTestId('node-creator-plus-button').click();
		await search.fill(text);
	}
}
