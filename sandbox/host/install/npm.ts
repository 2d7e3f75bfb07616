import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

interface NpmOptions {
	cwd: string;
	env?: Record<string, string>;
	/** A folder whose `node` npm is to run on, where it is not the machine's own. */
	nodeBin?: string;
	/** Called with every line that npm writes. */
	onLine?: (line: string) => void;
}

/** Settings of a person's own npm that an install inside `npm start` must keep; all others belong to the outer command. */
const KEPT = /^npm_config_(cache|registry|userconfig|globalconfig|nodedir|cafile|.*proxy)$/i;

/**
 * Runs npm to its end.
 *
 * @returns what it wrote to standard output
 * @throws with the last lines that npm wrote, when it does not exit with 0
 */
export async function npm(
	args: string[],
	{ cwd, env, nodeBin, onLine }: NpmOptions,
): Promise<string> {
	const inherited = Object.entries(process.env).filter(
		([name]) => !/^npm_/i.test(name) || KEPT.test(name),
	);
	const child = spawn('npm', args, {
		cwd,
		env: {
			...Object.fromEntries(inherited),
			...env,
			...(nodeBin && { PATH: `${nodeBin}:${process.env.PATH ?? ''}` }),
		},
		stdio: ['ignore', 'pipe', 'pipe'],
	});

	const end = () => child.kill();
	process.once('exit', end);

	const output: string[] = [];
	const transcript: string[] = [];
	createInterface({ input: child.stdout }).on('line', (line) => {
		output.push(line);
		transcript.push(line);
	});
	createInterface({ input: child.stderr }).on('line', (line) => {
		transcript.push(line);
		onLine?.(line);
	});

	const code = await new Promise<number | null>((resolve, reject) => {
		child.once('error', reject).once('close', resolve);
	});
	process.off('exit', end);
	if (code !== 0) {
		const tail = transcript.filter((line) => !line.startsWith('npm http')).slice(-25);
		throw new Error(`"npm ${args.join(' ')}" in ${cwd} ended with ${code}:\n${tail.join('\n')}`);
	}
	return output.join('\n');
}
