import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** Bytes of memory that a process holds at this moment. */
export async function rssBytes(pid: number): Promise<number> {
	if (process.platform === 'linux') return statusField(pid, 'VmRSS');
	const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]);
	return Number(stdout.trim()) * 1_024;
}

/**
 * The most bytes of memory that a process has held since it started, or since {@link resetPeakRss}.
 *
 * @throws where the system does not count it (anything but Linux)
 */
export async function peakRssBytes(pid: number): Promise<number> {
	return statusField(pid, 'VmHWM');
}

/** Lets the peak start again from what the process holds now. */
export async function resetPeakRss(pid: number): Promise<void> {
	await writeFile(`/proc/${pid}/clear_refs`, '5');
}

async function statusField(pid: number, field: string): Promise<number> {
	const status = await readFile(`/proc/${pid}/status`, 'utf8');
	const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1];
	if (kilobytes === undefined)
		throw new Error(`The system does not say ${field} for process ${pid}.`);
	return Number(kilobytes) * 1_024;
}
