import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/**
 * Bytes of memory that a process holds at this moment (`VmRSS`), or the most that it has held (`VmHWM`).
 *
 * @throws where the system does not count the most (anything but Linux)
 */
export async function memoryOf(pid: number, field: 'VmRSS' | 'VmHWM'): Promise<number> {
	if (field === 'VmRSS' && process.platform !== 'linux') {
		const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]);
		return Number(stdout.trim()) * 1_024;
	}
	const status = await readFile(`/proc/${pid}/status`, 'utf8');
	const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1];
	if (kilobytes === undefined)
		throw new Error(`The system does not say ${field} for process ${pid}.`);
	return Number(kilobytes) * 1_024;
}
