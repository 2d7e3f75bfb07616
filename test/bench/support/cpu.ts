import { readFile } from 'node:fs/promises';

/** Linux counts a process's time in ticks of a hundredth of a second on every architecture that Node.js runs on. */
const TICKS_PER_SECOND = 100;

/** Seconds of processor time that a process has used since it started. Linux only. */
export async function cpuSeconds(pid: number): Promise<number> {
	const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
	// The second field, the name, may hold spaces; user and system time are the 12th and 13th behind it.
	const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
	return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}
