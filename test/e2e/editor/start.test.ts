import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { freePort, type HostVersion } from '../../../sandbox/host';
import { startCommand } from '../../support/command';
import { useFolder } from '../../support/folder';
import { useBrowser } from '../support/browser';
import { versionsOfLong } from '../support/hosts';
import { readUntil } from '../support/poll';

const root = resolve(__dirname, '../../..');
const FIRST = 'first-pipeline.json';

/** The names of the examples in the order in which n8n is to list them. */
async function examplesFor(version: HostVersion): Promise<string[]> {
	const files = (await readdir(join(root, 'examples'))).filter((name) => name !== FIRST).sort();
	const texts = await Promise.all(
		[FIRST, ...files].map(async (file) => await readFile(join(root, 'examples', file), 'utf8')),
	);
	return texts
		.filter((text) => version !== '1.123' || !text.includes('Needs n8n 2'))
		.map((text) => (JSON.parse(text) as { name: string }).name);
}

describe.each(versionsOfLong('1.123'))('npm start with n8n %s', (version) => {
	const folder = useFolder();
	const browser = useBrowser();

	test('opens at the list of the examples, and keeps what was changed there for the next start', async () => {
		await started(version, folder(), async (output, address) => {
			expect(output()).toContain("n8n's data is kept in");
			const page = await logIn(browser(), address, output());
			expect(await readUntil(() => listed(page), await examplesFor(version))).toEqual(
				await examplesFor(version),
			);
			await page.getByTestId('workflow-card-name').filter({ hasText: 'First Pipeline' }).click();
			const saved = page.waitForResponse(
				(response) =>
					response.ok() && response.request().postData()?.includes('"name":"Mine"') === true,
			);
			await page.getByTestId('workflow-name-input').first().click();
			await page.keyboard.press('ControlOrMeta+a');
			await page.keyboard.type('Mine');
			await page.keyboard.press('Enter');
			await page.getByTestId('canvas-node').first().waitFor();
			await page.keyboard.press('ControlOrMeta+s');
			await saved;
			await page.goto(address);
			await page.getByTestId('workflow-card-name').filter({ hasText: 'Mine' }).waitFor();
		});
		await started(version, folder(), async (output, address) => {
			const page = await logIn(browser(), address, output());
			const expected = [...(await examplesFor(version)), 'Mine'].sort();
			expect(await readUntil(async () => (await listed(page)).sort(), expected)).toEqual(expected);
		});
	});
});

/** Runs `npm start` until `use` is done, which is given what it prints. */
async function started(
	version: HostVersion,
	folder: string,
	use: (output: () => string, address: string) => Promise<void>,
): Promise<void> {
	const ports = ['--port', String(await freePort()), '--sandbox-port', String(await freePort())];
	const command = startCommand(
		process.execPath,
		['sandbox/start.mjs', '--n8n', version, '--folder', folder, ...ports],
		{ cwd: root },
	);
	try {
		const [, address = ''] = await command.says(/^n8n \S+ +(http:\S+)/m);
		await command.says(/Ctrl-C ends/);
		await use(command.output, address);
	} finally {
		command.child.kill('SIGINT');
		await command.ended;
	}
}

async function logIn(browser: Browser, address: string, output: string): Promise<Page> {
	const [, email = '', password = ''] = /log in with +(\S+) +and +(\S+)/.exec(output) ?? [];
	const context = await browser.newContext();
	context.setDefaultTimeout(120_000);
	const page = await context.newPage();
	await page.goto(address);
	await page.locator('input[name="emailOrLdapLoginId"]').fill(email);
	await page.locator('input[name="password"]').fill(password);
	await page.getByTestId('form-submit-button').click();
	await page.getByTestId('workflow-card-name').first().waitFor();
	return page;
}

async function listed(page: Page): Promise<string[]> {
	return (await page.getByTestId('workflow-card-name').allTextContents()).map((name) =>
		name.trim(),
	);
}
