import { tmpdir } from 'node:os';

import {
	type Host,
	type HostVersion,
	type Note,
	packPackage,
	type Progress,
	startHost,
} from '../../../sandbox/host';
import { createSandbox, type Sandbox } from '../../../sandbox/service';
import { giveCredentials } from './credentials';
import { minimalNodesEnv } from './minimalNodes';

/** What every measurement is run on: one n8n with the packed package in it, and the service it talks to. */
export interface Stage {
	host: Host;
	sandbox: Sandbox;
	/** The package as it would be published. */
	tarball: string;
	note: Note;
}

/** What one measurement found: tables as Markdown, and sentences on goals. */
export interface Findings {
	tables: string[];
	remarks: string[];
}

/** One of the things that `npm run bench` measures. */
export interface Measurement {
	/** As it is asked for on the command line. */
	name: string;
	title: string;
	/** What exactly is measured, in one line. */
	about: string;
	/** How long it usually takes. */
	usually: string;
	run: (stage: Stage) => Promise<Findings>;
}

/** Results of a few bytes: making real pictures would take the time of the machine that is being measured. */
const RESULT_BYTES = 1_000;

/** Forgets tasks, requests, faults and durations; results stay small. */
export function clearService(sandbox: Sandbox): void {
	sandbox.reset();
	sandbox.faults.add({
		match: { method: 'POST' },
		effect: { type: 'resultBytes', bytes: RESULT_BYTES },
		count: null,
	});
}

/** Whether n8n 2.x makes an isolate only where an expression is evaluated, instead of for each call and each execution. */
export const BENCH_LAZY = process.env.BENCH_LAZY === 'true';

/** Settings for n8n. Without the first, 2.x reads files of its own folder alone. */
export const hostEnv: Record<string, string> = {
	N8N_RESTRICT_FILE_ACCESS_TO: tmpdir(),
	...(BENCH_LAZY ? { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' } : {}),
};

export interface OpenStage extends Omit<Stage, 'note'> {
	close(): Promise<void>;
}

export async function openStage(version: HostVersion, progress: Progress): Promise<OpenStage> {
	const tarball = await packPackage({ progress });
	const sandbox = await createSandbox({ allowPrivateCallbacks: true });
	const host = await startHost({
		version,
		tarball,
		progress,
		env: { ...hostEnv, ...(await minimalNodesEnv()) },
	});
	await giveCredentials(host, sandbox);
	return {
		host,
		sandbox,
		tarball,
		close: async () => {
			await host.stop();
			await sandbox.close();
		},
	};
}
