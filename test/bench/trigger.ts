import { randomUUID } from 'node:crypto';
import axios from 'axios';
import { type Host, parseHostVersions, terminalProgress } from '../../sandbox/host';
import type { Sandbox } from '../../sandbox/service';
import { recordedExecutions } from '../e2e/callbacks/recorded';
import { remember } from '../e2e/callbacks/remembered';
import { answersOf, createSender } from '../e2e/callbacks/sender';
import { buyMany } from '../e2e/callbacks/tasks';
import { activeTrigger } from '../e2e/callbacks/triggerWorkflow';
import { listenWith } from '../e2e/support/executions';
import { chain, end, type NodeJson, startByWebhook } from '../e2e/support/nodes';
import { takeTurns } from './support/compare';
import { cpuSeconds } from './support/cpu';
import { startMinimal } from './support/minimalNodes';
import { BENCH_CREDENTIAL, request } from './support/nodes';
import { BENCH_LAZY, openStage } from './support/stage';
import { median } from './support/statistics';
import { metOrMissed, ratio, table } from './support/table';

const HELP = `npm run bench:trigger [-- <n8n version>]   what a callback costs; ends with 1 when a goal is missed

A burst of BURST callbacks, 50 at a time, to the MediaGen Trigger, to n8n's own Webhook node, to the same with an HTTP Request that
reads the task, to n8n's Chargebee Trigger, which verifies nothing, and to a minimal trigger that does nothing but read the task,
store a start and state the cost, with the same downstream, in turns; then single callbacks to a trigger that remembers nothing and
to one that remembers 10 000 tasks, in turns.
BURST=300 ROUNDS=5 CALLS=200 are the sizes. BENCH_LAZY=true sets N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE, which n8n 2.41 knows.
`;

const REMEMBERED = 10_000;
const size = (name: string, usual: number) => Number(process.env[name] ?? usual);
const [BURST, ROUNDS, CALLS] = [size('BURST', 300), size('ROUNDS', 5), size('CALLS', 200)];

const GOALS = { cost: 1.25, rate: 0.9 };

interface Subject {
	name: string;
	id: string;
	url: string;
	/** Executions that it has started so far. */
	started: number;
}

async function ofN8n(host: Host, name: string, ...nodes: NodeJson[]): Promise<Subject> {
	return { name, ...(await listenWith(host, chain(name, [...nodes, end]))), started: 0 };
}

const chargebee = (): NodeJson => ({
	name: 'Go',
	type: 'n8n-nodes-base.chargebeeTrigger',
	webhookId: randomUUID(),
	parameters: { events: ['*'] },
});

async function trigger(host: Host, name: string, parameters: object = {}): Promise<Subject> {
	const { id, url } = await activeTrigger(host, BENCH_CREDENTIAL, parameters);
	return { name, id, url, started: 0 };
}

async function whenDone(host: Host, subject: Subject): Promise<void> {
	for (;;) {
		const all = await host.api.raw.get<{ data: { count: number } }>('/rest/executions', {
			params: { filter: JSON.stringify({ workflowId: subject.id, status: ['success'] }), limit: 1 },
		});
		if (all.data.data.count >= subject.started) return;
		await new Promise((resolve) => setTimeout(resolve, 50));
	}
}

interface Burst {
	/** Callbacks per second until the last answer, and until the last execution was over. */
	answered: number;
	executed: number;
	/** Milliseconds of n8n's processor time for one of them: it tells more than the rate where the machine has other work. */
	processorMs: number;
	/** Calls that were answered 503, and repeated. */
	turnedAway: number;
}

const bodyOf = (id: string) => ({
	id,
	/** For the Chargebee Trigger, which starts nothing without one. */
	event_type: 'invoice_generated',
	status: 'completed',
	result: { images: [{ url: [`https://example.com/${id}.png`] }] },
});

async function burst(host: Host, sandbox: Sandbox, subject: Subject): Promise<Burst> {
	const ids = await buyMany(sandbox, BURST);
	// A rate is measured: the service would give up before n8n 2.41 answers the slowest, and wait longer after a 503.
	const sender = createSender({ pauses: Array<number>(12).fill(5_000), answerWithin: 60_000 });
	const [began, cpu] = [performance.now(), await cpuSeconds(host.pid)];
	const sent = await Promise.all(ids.map((id) => sender.send(subject.url, id, bodyOf(id))));
	const answered = performance.now();
	if (sent.some(({ accepted }) => !accepted))
		throw new Error(
			`${subject.name} did not take every callback: ${JSON.stringify(answersOf(sent))}`,
		);
	subject.started += ids.length;
	await whenDone(host, subject);
	const executed = performance.now();
	sender.close();
	const perSecond = (end: number) => (1_000 * ids.length) / (end - began);
	const processorMs = (1_000 * ((await cpuSeconds(host.pid)) - cpu)) / ids.length;
	const turnedAway = answersOf(sent)['503'] ?? 0;
	return { answered: perSecond(answered), executed: perSecond(executed), processorMs, turnedAway };
}

/** Milliseconds until the answer to one callback, with nothing else under way. */
async function call({ url }: Subject, id: string): Promise<number> {
	const began = performance.now();
	const { data } = await axios.post<{ message: string }>(url, bodyOf(id), { proxy: false });
	if (data.message !== 'Received') throw new Error(`A callback was answered: ${data.message}`);
	return performance.now() - began;
}

async function compareCalls(host: Host, sandbox: Sandbox): Promise<number> {
	const [none, many] = [
		await trigger(host, 'remembers nothing'),
		await trigger(host, `remembers ${REMEMBERED}`),
	];
	await remember(
		host,
		many.id,
		Array.from({ length: REMEMBERED }, (_, index) => ({
			taskId: `earlier ${index}`,
			hours: index % 20,
		})),
	);
	const ids = await buyMany(sandbox, 2 * CALLS);
	const once = (subject: Subject) => async () => {
		const took = await call(subject, ids.pop() ?? '');
		subject.started += 1;
		await whenDone(host, subject);
		return took;
	};
	const quiet = () => undefined;
	const sides = await takeTurns(CALLS, quiet, { ours: once(many), theirs: once(none) });
	const [usual, remembering] = [median(sides.theirs), median(sides.ours)];
	console.log(`| ${none.name} | ${usual.toFixed(1)} ms |`);
	console.log(`| ${many.name} | ${remembering.toFixed(1)} ms |`);
	const stored = (await recordedExecutions(host, many.id)).length;
	console.log(`(${stored} executions)`);
	return remembering / usual;
}

/** Returns the trigger's rate, as a share of that of n8n's Webhook. */
async function compareBursts(host: Host, sandbox: Sandbox): Promise<number> {
	const webhook = await ofN8n(host, "n8n's Webhook", startByWebhook(randomUUID()));
	const read = request('Read', { url: `=${sandbox.url}/v1/tasks/{{ $json.body.id }}` });
	const reading = await ofN8n(
		host,
		"n8n's Webhook and HTTP Request",
		startByWebhook(randomUUID()),
		read,
	);
	// n8n 2.41 gives each call of a trigger an isolate for expressions, and spares only its Webhook node that.
	const unverified = await ofN8n(host, "n8n's Chargebee Trigger", chargebee());
	const least = await ofN8n(host, 'A minimal trigger that reads the task', startMinimal());
	const own = await trigger(host, 'MediaGen Trigger');
	const hasty = await trigger(host, 'MediaGen Trigger, not verifying', { verify: false });
	const subjects = [webhook, reading, unverified, least, own, hasty];
	const rates = new Map<Subject, Burst[]>(subjects.map((subject) => [subject, []]));
	// The first round warms n8n up.
	for (let round = 0; round <= ROUNDS; round++) {
		for (const subject of subjects) {
			const rate = await burst(host, sandbox, subject);
			if (round > 0) rates.get(subject)?.push(rate);
		}
	}
	const of = (subject: Subject, what: keyof Burst) =>
		median((rates.get(subject) ?? []).map((rate) => rate[what]));
	const share = (subject: Subject, other: Subject) =>
		ratio(of(subject, 'executed'), of(other, 'executed'));
	const rows = subjects.map((subject) => [
		subject.name,
		of(subject, 'answered').toFixed(1),
		of(subject, 'executed').toFixed(1),
		share(subject, webhook),
		share(subject, unverified),
		of(subject, 'processorMs').toFixed(1),
		String(of(subject, 'turnedAway')),
	]);
	console.log(
		`\n${BURST} callbacks, 50 at a time, per second\n\n${table(['', 'answered', 'executed', '÷ Webhook', '÷ Chargebee', 'processor ms each', 'turned away'], rows)}`,
	);
	return of(own, 'executed') / of(webhook, 'executed');
}

async function main(version: string): Promise<void> {
	const [known] = parseHostVersions(version);
	if (!known) throw new Error(HELP);
	const stage = await openStage(known, terminalProgress());
	const { host, sandbox } = stage;
	sandbox.durations.set({ image: 0 });
	sandbox.setUnlimited(true);
	try {
		const rate = await compareBursts(host, sandbox);
		console.log('\n| a single callback | median |\n|---|---|');
		const cost = await compareCalls(host, sandbox);
		// Without the setting, 2.41 spares only its Webhook node the isolate: nothing else can come near.
		const comparable = known === '1.123' || BENCH_LAZY;
		const met = { cost: cost <= GOALS.cost, rate: !comparable || rate >= GOALS.rate };
		console.log(
			`\n| n8n ${known}${BENCH_LAZY ? ', lazy' : ''} | measured | goal | |\n|---|---|---|---|`,
		);
		console.log(
			`| cost of a call with ${REMEMBERED} remembered tasks | ${cost.toFixed(2)} | ≤ ${GOALS.cost} | ${metOrMissed(met.cost)} |`,
		);
		if (comparable)
			console.log(
				`| rate of a burst, of n8n's Webhook | ${rate.toFixed(2)} | ≥ ${GOALS.rate} | ${metOrMissed(met.rate)} |`,
			);
		if (!met.cost || !met.rate) process.exitCode = 1;
	} finally {
		await stage.close();
	}
}

if (process.argv.includes('--help'))
	console.log(HELP.replace('BURST callbacks', `${BURST} callbacks`));
else void main(process.argv[2] ?? '1.123');
