import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod/v3';
import { ensureN8n, type InstalledN8n } from '../../sandbox/host';
import { takeTurns } from './support/compare';
import type { Measurement } from './support/stage';
import { median, quantile } from './support/statistics';
import { ratio, table, metOrMissed } from './support/table';

const run = promisify(execFile);

const RUNS = 15;
const GOAL_MS = 60;
const GOAL_BYTES = 200_000;

/** What a workflow without the package is made of; n8n has them loaded or not, as it likes. */
const ALTERNATIVE = ['HttpRequest/HttpRequest', 'Wait/Wait', 'If/If', 'Webhook/Webhook'].map(
	(node) => `n8n-nodes-base/dist/nodes/${node}.node.js`,
);

/** Loads node classes and makes one of each, as n8n does when it starts, and prints the milliseconds. */
const SCRIPT = `
	const { basename } = require('node:path');
	require('n8n-workflow');
	const files = process.argv.slice(1);
	const started = performance.now();
	for (const file of files) new (require(file)[basename(file, '.node.js')])();
	console.log(performance.now() - started);
`;

const manifestSchema = z.object({ n8n: z.object({ nodes: z.array(z.string()) }) });

async function loadMs(n8n: InstalledN8n, files: readonly string[]): Promise<number> {
	const { stdout } = await run(n8n.node.bin, ['-e', SCRIPT, ...files], {
		cwd: n8n.dir,
		env: { ...process.env, NODE_PATH: join(n8n.dir, 'node_modules') },
	});
	return Number(stdout);
}

/** Unpacks the tarball and gives the paths of its nodes. */
async function unpack(tarball: string, folder: string): Promise<string[]> {
	await mkdir(folder, { recursive: true });
	await run('tar', ['-xzf', tarball, '-C', folder]);
	const home = join(folder, 'package');
	const { n8n } = manifestSchema.parse(
		JSON.parse(await readFile(join(home, 'package.json'), 'utf8')),
	);
	return n8n.nodes.map((path) => join(home, path));
}

/** What the package adds to the start of n8n, and its size. */
export const startUp: Measurement = {
	name: 'startup',
	title: 'Start-up',
	about: `Loading node classes in a fresh Node.js that holds n8n-workflow already, median of ${RUNS}.`,
	usually: '30 s',
	async run({ host, tarball, note }) {
		const n8n = await ensureN8n(host.version);
		const folder = await mkdtemp(join(tmpdir(), 'mediagen-bench-'));
		try {
			const nodes = await unpack(tarball, folder);
			const found = await takeTurns(RUNS, note, {
				ours: async () => await loadMs(n8n, nodes),
				theirs: async () => await loadMs(n8n, ALTERNATIVE),
			});
			const { size } = await stat(tarball);
			const row = (title: string, values: number[], against: number[]) => [
				title,
				`${Math.min(...values).toFixed(1)} ms`,
				`${median(values).toFixed(1)} ms`,
				`${quantile(values, 0.9).toFixed(1)} ms`,
				ratio(median(values), median(against)),
			];
			return {
				tables: [
					table(
						['loaded', 'quickest', 'median', '90 %', 'ours ÷ n8n’s'],
						[
							row(`the ${nodes.length} nodes of this package`, found.ours, found.theirs),
							row('HTTP Request, Wait, IF and Webhook of n8n', found.theirs, found.theirs),
						],
					),
				],
				remarks: [
					`Loading: ${median(found.ours).toFixed(1)} ms, goal ${GOAL_MS} ms: ${metOrMissed(median(found.ours) < GOAL_MS)}.`,
					`Tarball: ${(size / 1_000).toFixed(1)} kB, goal ${GOAL_BYTES / 1_000} kB: ${metOrMissed(size < GOAL_BYTES)}.`,
				],
			};
		} finally {
			await rm(folder, { recursive: true, force: true });
		}
	},
};
