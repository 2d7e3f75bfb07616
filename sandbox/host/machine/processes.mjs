// Plain JavaScript, and nothing but Node.js itself: it must also work while the dependencies are being installed.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** Resolves with the name of the first signal that asks this program to end. Later ones are ignored. */
export function endSignal() {
	return new Promise((resolve) => {
		for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => resolve(signal));
	});
}

/** The exit code of a program that a signal has ended. */
export const exitCodeOf = (signal) => 128 + { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 }[signal];

/**
 * Ends every process that this one has started, directly or not, and waits until they are gone. Process groups are not
 * enough: n8n, Chromium and the servers of queue mode have groups of their own.
 *
 * @param {number} patienceMs how long they may take to end by themselves
 */
export async function endDescendants(patienceMs = 15_000) {
	const known = new Set();
	for (const deadline = Date.now() + patienceMs; Date.now() < deadline; await delay(100)) {
		const running = processes();
		// Once its parent has ended, a process cannot be told from others: each is remembered when it is first seen.
		for (const pid of descendantsOf([process.pid, ...known], running)) {
			if (known.has(pid)) continue;
			known.add(pid);
			send(pid, 'SIGTERM');
		}
		if (!running.some(({ pid }) => known.has(pid))) return;
	}
	for (const pid of known) send(pid, 'SIGKILL');
}

function descendantsOf(roots, running) {
	const children = running.filter(({ parent }) => roots.includes(parent)).map(({ pid }) => pid);
	return children.length === 0 ? [] : [...children, ...descendantsOf(children, running)];
}

/** Every running process and its parent. One that has ended, but whose parent has not asked for its end, is left out. */
function processes() {
	return process.platform === 'linux' ? fromProc() : fromPs();
}

function fromProc() {
	return readdirSync('/proc')
		.filter((name) => /^\d+$/.test(name))
		.flatMap((name) => {
			try {
				// "pid (command) state parent …", where the command may have blanks and brackets in it.
				const [state, parent] = readFileSync(`/proc/${name}/stat`, 'utf8')
					.replace(/^.*\) /s, '')
					.split(' ');
				return state === 'Z' ? [] : [{ pid: Number(name), parent: Number(parent) }];
			} catch {
				return [];
			}
		});
}

function fromPs() {
	return execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat=,comm='], { encoding: 'utf8' })
		.trim()
		.split('\n')
		.map((line) => line.trim().split(/\s+/))
		.filter(([, , state, command]) => !state.startsWith('Z') && !/(^|\/)ps$/.test(command))
		.map(([pid, parent]) => ({ pid: Number(pid), parent: Number(parent) }));
}

function send(pid, signal) {
	try {
		process.kill(pid, signal);
	} catch {
		// It has ended already.
	}
}
