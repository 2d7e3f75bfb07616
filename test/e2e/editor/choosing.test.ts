import type { BrowserContext, Page } from 'playwright-core';

import { HOST_VERSIONS } from '../../../sandbox/host';
import { useBrowser, userAgentOf } from '../support/browser';
import { Editor } from '../support/editor';
import { onlyExecution } from '../support/executions';
import { describeLongOnHosts } from '../support/hosts';
import { readUntil } from '../support/poll';
import { useSandbox } from '../support/sandbox';
import { EXAMPLE_CREDENTIAL, readExample } from '../support/workflows';
import { showCanvas } from './gallery';
import { keepPicture } from './pictures';

/** Making the pictures or clips of a page, and the next page after it. */
const PAGE_MS = 60_000;

describeLongOnHosts('The examples in which a person chooses', '1.123', (host, version) => {
	const sandbox = useSandbox(host, EXAMPLE_CREDENTIAL, { durations: { grid: 500, video: 500 } });
	const browser = useBrowser();
	let visitor: BrowserContext;
	let active: string;
	beforeAll(async () => {
		// A person without an account in n8n.
		visitor = await browser().newContext({
			viewport: { width: 900, height: 1_000 },
			userAgent: userAgentOf(browser()),
		});
		visitor.setDefaultTimeout(PAGE_MS);
	});
	// Another copy of it has the same address.
	afterEach(async () => await host().deactivate(active));

	/** Activates an example and opens its form, as its address is given to people. */
	async function openForm(name: string): Promise<{ page: Page; workflowId: string }> {
		const { id: workflowId } = await host().importWorkflow(readExample(name));
		active = workflowId;
		await host().activate(workflowId);
		const page = await visitor.newPage();
		await page.goto(`${host().url}/form/${name}`);
		return { page, workflowId };
	}

	const submit = async (page: Page) => await page.locator('#submit-btn').click();

	/** How many pictures or clips a page shows: those of which the browser has the size. */
	async function shown(page: Page, tag: 'img' | 'video', expected: number): Promise<number> {
		const read = async () =>
			await page.locator(tag).evaluateAll(
				(all) =>
					all.filter((one) => {
						if (one instanceof HTMLVideoElement) return one.videoWidth > 0;
						return one instanceof HTMLImageElement && one.naturalWidth > 0;
					}).length,
			);
		await page.locator(tag).first().waitFor();
		return await readUntil(read, expected, 30_000);
	}

	/** Keeps the two pictures of an example that docs/gallery.md shows. */
	async function keep(name: string, form: Buffer): Promise<void> {
		if (version !== HOST_VERSIONS.at(-1)) return;
		await keepPicture(`result-${name}`, form, JSON.stringify(readExample(name)));
		const editor = await Editor.open(browser(), host(), { width: 1320, height: 660 });
		await showCanvas(name, editor, host());
		await editor.close();
	}

	test('the form shows the four pictures of a grid, and the one that is picked is varied', async () => {
		const { page, workflowId } = await openForm('pick-a-picture');
		await page.locator('textarea').fill('A lighthouse on a cliff at dusk');
		await submit(page);
		expect(await shown(page, 'img', 4)).toBe(4);
		const form = await page.screenshot({ fullPage: true });
		expect(sandbox().ledger().accepted).toBe(1);

		await page.getByLabel('3', { exact: true }).check();
		await submit(page);
		await page.getByText('Four variations').first().waitFor();
		expect(await shown(page, 'img', 4)).toBe(4);
		const execution = await onlyExecution(host(), workflowId, 'success');
		const [grid] = sandbox().tasks.list();
		const requests = sandbox().requests.list({ method: 'POST', path: '/v1/gridart/generations' });
		expect(requests.map(({ body }) => body)).toEqual([
			{ prompt: 'A lighthouse on a cliff at dusk' },
			expect.objectContaining({ task_id: grid?.id, index: 3 }),
		]);
		expect(execution.files('Variations of It')).toHaveLength(5);
		await keep('pick-a-picture', form);
	});

	test('the form shows three clips, and the one that is approved goes on as a file', async () => {
		const { page, workflowId } = await openForm('approve-clips');
		await page.locator('input[type="text"]').fill('A brass storm lantern');
		await submit(page);
		expect(await shown(page, 'video', 3)).toBe(3);
		const form = await page.screenshot({ fullPage: true });

		await page.getByLabel('At Sea', { exact: true }).check();
		await submit(page);
		await page.getByText('Published').first().waitFor();
		const execution = await onlyExecution(host(), workflowId, 'success');
		expect(execution.files('Publish').map(({ fileName }) => fileName)).toStrictEqual([
			'At Sea.mp4',
		]);
		expect(sandbox().ledger().accepted).toBe(3);
		await keep('approve-clips', form);
	});

	test('where no clip is approved, none goes on', async () => {
		const { page, workflowId } = await openForm('approve-clips');
		await page.locator('input[type="text"]').fill('A brass storm lantern');
		await submit(page);
		await page.getByLabel('None', { exact: true }).check();
		await submit(page);
		const execution = await onlyExecution(host(), workflowId, 'success');
		expect(execution.items('Publish')).toEqual([]);
	});
});
