/**
 * Measures the package on a real n8n beside the same jobs built from n8n's own nodes.
 * `npm run bench` runs everything, `npm run bench -- items fresh` what is named; `npm run bench -- --help` says more.
 */
import { parseHostVersions, terminalProgress } from '../../sandbox/host';
import { bigFiles } from './bigFiles';
import { freshResults } from './freshResults';
import { manyItems } from './manyItems';
import { startUp } from './startUp';
import { pausedItems } from './pausedItems';
import { submissions } from './submissions';
import { waiting } from './waiting';
import { BENCH_LAZY, type Measurement, openStage } from './support/stage';

const MEASUREMENTS: Measurement[] = [
	manyItems,
	submissions,
	freshResults,
	waiting,
	pausedItems,
	bigFiles,
	startUp,
];

function help(): string {
	const width = Math.max(...MEASUREMENTS.map(({ name }) => name.length));
	return [
		'npm run bench [-- name …]',
		'',
		...MEASUREMENTS.map(
			({ name, title, about, usually }) =>
				`  ${name.padEnd(width)}  ${title} (${usually}): ${about}`,
		),
		'',
		'Starts a real n8n with the packed package in it, and the sandbox service. Needs Linux and what npm start needs; the',
		'first start installs n8n. N8N_HOSTS=2.41 takes another version than 1.123. Ctrl-C ends it and all that it started.',
		'BENCH_TASK_MS=3000 gives "items" pictures of 3 s, BENCH_WAITING=200 gives "waiting" more executions.',
		'BENCH_RUNS=7 gives "files" and "waiting" more turns, BENCH_WAYS=callback,resume leaves out ways to wait.',
		'BENCH_LAZY=true sets N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE, which n8n 2.41 knows.',
		'Beside it: npm run bench:trigger, bench:queue, bench:records.',
	].join('\n');
}

async function main(names: string[]): Promise<void> {
	if (names.includes('--help')) {
		console.log(help());
		return;
	}
	const unknown = names.find(
		(name) => !MEASUREMENTS.some((measurement) => measurement.name === name),
	);
	if (unknown !== undefined) throw new Error(`There is no measurement "${unknown}".\n\n${help()}`);
	const chosen = MEASUREMENTS.filter(({ name }) => names.length === 0 || names.includes(name));

	const progress = terminalProgress();
	progress.info("Measures the package beside n8n's own nodes, on one n8n. Ctrl-C stops it.");
	for (const version of parseHostVersions(process.env.N8N_HOSTS ?? '1.123')) {
		const stage = await openStage(version, progress);
		try {
			for (const { title, about, usually, run } of chosen) {
				const { tables, remarks } = await progress.step(
					title,
					(note) => run({ ...stage, note }),
					usually,
				);
				console.log(
					`\n## ${title} (n8n ${version}${BENCH_LAZY ? ', lazy' : ''})\n\n${about}\n\n${[...tables, remarks.map((line) => `- ${line}`).join('\n')].join('\n\n')}\n`,
				);
			}
		} finally {
			await stage.close();
		}
	}
}

main(process.argv.slice(2)).catch((error: unknown) => {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
});
