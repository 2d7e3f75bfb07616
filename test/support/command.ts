import { spawn, type SpawnOptionsWithoutStdio } from 'node:child_process';

/** A program that a test has started, and what it has written so far. */
export function startCommand(
	command: string,
	args: string[],
	options: SpawnOptionsWithoutStdio = {},
) {
	const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
	let output = '';
	child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
	child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
	const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
	return {
		child,
		/** Resolves with the exit code. */
		ended,
		output: () => output,
		/**
		 * Waits until its output matches.
		 *
		 * @throws when it ends without
		 */
		says: async (pattern: RegExp): Promise<RegExpExecArray> => {
			for (;;) {
				const found = pattern.exec(output);
				if (found) return found;
				const code = await Promise.race([
					ended,
					new Promise<'on'>((resolve) => setTimeout(() => resolve('on'), 20)),
				]);
				if (code !== 'on' && !pattern.test(output))
					throw new Error(`It ended with ${code}: ${output}`);
			}
		},
	};
}

export type StartedCommand = ReturnType<typeof startCommand>;
