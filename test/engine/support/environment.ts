import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// n8n-core reads its settings when it is first loaded, so this module must be imported before it.
process.env.N8N_USER_FOLDER = mkdtempSync(join(tmpdir(), 'mediagen-engine-'));
process.env.N8N_ENCRYPTION_KEY = 'engine-tests';
process.env.N8N_ENFORCE_SETTINGS_FILE_PERMISSIONS = 'false';
process.env.N8N_LOG_LEVEL = 'silent';
