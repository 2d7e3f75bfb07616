import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { WorkflowDefinition } from '../../../sandbox/host';
import { chain, mediaGen, type NodeJson, startByWebhook } from '../../e2e/support/nodes';
import { BENCH_CREDENTIAL, submitByHand, tell } from './nodes';

const SOURCES = join(__dirname, '..', 'minimal');

const outdir = join(__dirname, '..', '..', '..', '.sandbox', 'minimal');

/** Compiles the minimal nodes. Returns the environment with which n8n loads them. */
export async function minimalNodesEnv(): Promise<Record<string, string>> {
	const entryPoints = ['MinimalTrigger', 'MinimalWait'].map((name) =>
		join(SOURCES, `${name}.node.ts`),
	);
	await build({
		entryPoints,
		outdir,
		bundle: true,
		format: 'cjs',
		platform: 'node',
		target: 'node20',
	});
	return { N8N_CUSTOM_EXTENSIONS: outdir };
}

const minimal = (name: string, type: 'minimalTrigger' | 'minimalWait'): NodeJson => ({
	...mediaGen(name, type, BENCH_CREDENTIAL),
	type: `CUSTOM.${type}`,
	typeVersion: 2,
	webhookId: randomUUID(),
});

/** Starts an execution for each callback, with the record of its task. */
export const startMinimal = (): NodeJson => minimal('Go', 'minimalTrigger');

/** One picture per execution, as `singlePicture` has them. */
export const minimalPicture = (service: string, told: string): WorkflowDefinition =>
	chain('minimal', [
		startByWebhook('bench-minimal'),
		submitByHand(service, '$execution.resumeUrl'),
		minimal('Wait', 'minimalWait'),
		tell(told, '$json.id'),
	]);
