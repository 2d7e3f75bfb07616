import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium, selectors } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

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
export async function launchBrowser(): Promise<Browser> {
	// The attribute by which n8n's editor names its parts.
	selectors.setTestIdAttribute('data-test-id');
	return chromium.launch({ executablePath: findChromium(), args: QUIET });
}

function findChromium(): string {
	const folders = (process.env.PATH ?? '').split(delimiter);
	const candidates = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
	const found = process.env.MEDIAGEN_CHROMIUM ?? candidates.find((path) => existsSync(path));
	if (!found) throw new Error('There is no Chromium here. Debian: sudo apt-get install chromium');
	return found;
}
