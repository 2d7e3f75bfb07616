import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// n8n-core reads its settings when it is first loaded, so this module must be imported before it. All else is its default.
// A folder of the tests' own, so that they leave nothing in the user's.
process.env.N8N_USER_FOLDER = mkdtempSync(join(tmpdir(), 'mediagen-engine-'));
// Tests read what nodes log from the logger itself; this is about the terminal.
process.env.N8N_LOG_LEVEL = 'silent';
