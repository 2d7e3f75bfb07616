import { type Browser, chromium, selectors } from 'playwright-core';
import { programPath } from '../../../sandbox/host/machine/programs.cjs';

/** A browser of the test's own must not look for updates or call home: on a closed network that costs seconds. */
const QUIET = [
	'--no-sandbox',
	'--disable-gpu',
	'--disable-quic',
	'--no-first-run',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
];

/**
 * Starts the machine's Chromium without a window. `MEDIAGEN_CHROMIUM` names another executable.
 *
 * @throws with the command that installs it, where there is none
 */
async function launchBrowser(): Promise<Browser> {
	// The attribute by which n8n's editor names its parts.
	selectors.setTestIdAttribute('data-test-id');
	return chromium.launch({ executablePath: programPath('chromium'), args: QUIET });
}

/** Starts a browser for a suite. */
export function useBrowser(): () => Browser {
	let browser: Browser;
	beforeAll(async () => {
		browser = await launchBrowser();
	}, 60_000);
	afterAll(async () => await browser.close());
	return () => browser;
}

/** What a browser with a window says of itself: n8n takes another one for a robot, and ignores its approvals. */
export const userAgentOf = (browser: Browser) =>
	`Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${browser.version()} Safari/537.36`;
