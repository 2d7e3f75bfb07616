import type { Execution } from '../../sandbox/host';
import type { Sandbox } from '../../sandbox/service';
import { tally } from '../support/tally';
import { BUY } from './workflows';

export interface Purchase {
	taskId: string;
	/** `<launch>-<item>`: which start of an execution, and which of its items. */
	marker: string;
	/** When it arrived, in milliseconds since 1970. */
	at: number;
	/** When the service had answered it, or the node gave up. */
	answeredAt: number;
}

/** As long as a node waits for an answer. */
const HANG_MS = 60_000;

export type End = 'cameOut' | 'named' | 'uncertain' | 'unnamed';

/** What n8n shows of the executions, for all purchases at once. */
export interface Seen {
	/** Ids of tasks that came out in an item without an error. */
	cameOut: Set<string>;
	/** All that stands in executions and in the log. */
	text: string;
	/** Markers whose item is named as one that may have been bought, in an execution or in the log. */
	uncertain: Set<string>;
}

const markerOf = (body: unknown) =>
	typeof body === 'object' && body !== null && 'soak' in body ? String(body.soak) : undefined;

/** The sandbox's own account of what it sold. */
export function purchasesOf(sandbox: Sandbox): Purchase[] {
	return sandbox.requests.list({ method: 'POST' }).flatMap(({ task, body, at, tookMs }) => {
		const marker = markerOf(body);
		return task === null || marker === undefined
			? []
			: [{ taskId: task, marker, at, answeredAt: at + (tookMs ?? HANG_MS) }];
	});
}

const MAY_HAVE_BEEN = 'may have been bought';

const fieldsOf = (value: unknown): Record<string, unknown> =>
	typeof value === 'object' && value !== null ? { ...value } : {};

/** The launch that an execution belongs to: its items have it in their marker. */
function launchOf(text: string): string | undefined {
	return /"(s\d+)-\d+"/.exec(text)?.[1];
}

function readExecution({ runs, error }: Execution, seen: Seen): string {
	const text = JSON.stringify([runs, error]);
	const launch = launchOf(text);
	const items = (runs[BUY] ?? [])
		.flatMap(({ data }) => Object.values(data ?? {}).flat())
		.flatMap((output) => output ?? []);
	for (const { json } of items) {
		if (typeof json.taskId === 'string' && json.error === undefined) seen.cameOut.add(json.taskId);
		const { message, description } = fieldsOf(json.error);
		const { marker } = fieldsOf(json.input);
		const told = `${String(message)} ${String(description)}`;
		if (typeof marker === 'string' && told.includes(MAY_HAVE_BEEN)) seen.uncertain.add(marker);
	}
	if (launch === undefined) return text;
	const errors = [error, ...(runs[BUY] ?? []).map((run) => run.error)];
	for (const { message, description } of errors.flatMap((each) => each ?? [])) {
		const first = /\[row \d+ \(item (\d+)\)\]/.exec(message)?.[1];
		const told = `${message} ${(description ?? '').split('<br>')[0]}`;
		if (first !== undefined && told.includes(MAY_HAVE_BEEN))
			seen.uncertain.add(`${launch}-${first}`);
		for (const [, item] of (description ?? '').matchAll(/\(item (\d+)\): may have been bought/g))
			seen.uncertain.add(`${launch}-${item}`);
	}
	return text;
}

/** Each line has the item's reference, which is its marker: an index alone would not tell the rounds of a loop apart. */
const UNCLEAR = /no clear answer: the task may have been bought \(.*, reference "(s\d+-\d+)"\)/g;

export function readAll(executions: readonly Execution[], log: string): Seen {
	const uncertain = [...log.matchAll(UNCLEAR)].map(([, marker = '']) => marker);
	const seen: Seen = { cameOut: new Set(), text: '', uncertain: new Set(uncertain) };
	seen.text = [...executions.map((execution) => readExecution(execution, seen)), log].join('\n');
	return seen;
}

/** How a user learns of a purchase. */
export function endOf({ taskId, marker }: Purchase, seen: Seen): End {
	if (seen.cameOut.has(taskId)) return 'cameOut';
	if (seen.text.includes(taskId)) return 'named';
	return seen.uncertain.has(marker) ? 'uncertain' : 'unnamed';
}

/** Markers of items that were charged for more than once. A task that failed was refunded and may be bought again. */
export function boughtTwice(purchases: readonly Purchase[], sandbox: Sandbox): string[] {
	const { tasks } = sandbox.ledger();
	const kept = purchases.filter(({ taskId }) => (tasks[taskId]?.refunded ?? 0) === 0);
	const counts = Object.entries(tally(kept.map(({ marker }) => marker)));
	return counts.filter(([, count]) => count > 1).map(([marker]) => marker);
}
