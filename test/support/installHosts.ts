/** Installs n8n into the cache, where it is missing: `tsx test/support/installHosts.ts <version> …`. */
import { ensureN8n, parseHostVersions, terminalProgress } from '../../sandbox/host';

async function main(): Promise<void> {
	const progress = terminalProgress();
	for (const version of parseHostVersions(process.argv.slice(2).join(',')))
		await ensureN8n(version, progress);
}

main().catch((error: unknown) => {
	console.error(error);
	process.exitCode = 1;
});
