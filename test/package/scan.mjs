// Runs n8n's own package scan over a folder, as n8n runs it for verified community nodes.
// Usage: node test/package/scan.mjs <folder> sources|tarball
import {
	analyzePackage,
	SOURCE_FILE_PATTERNS,
} from '@n8n/scan-community-package/scanner/scanner.mjs';

const PATTERNS = { sources: SOURCE_FILE_PATTERNS, tarball: ['**/*.js', 'package.json'] };

const [folder, leg] = process.argv.slice(2);
const patterns = PATTERNS[leg];
if (!folder || !patterns) {
	console.error('Usage: node test/package/scan.mjs <folder> sources|tarball');
	process.exit(2);
}
const { passed, message, details } = await analyzePackage(folder, patterns);
if (!passed) console.error([message, details].filter(Boolean).join('\n'));
process.exitCode = passed ? 0 : 1;
