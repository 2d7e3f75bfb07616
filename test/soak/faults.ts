import type { FaultRuleInput, Sandbox } from '../../sandbox/service';
import type { Random } from './random';

type Effect = FaultRuleInput['effect'];

/** What can happen to a submission. `after`: it was accepted, and its answer is lost. */
const ON_SUBMISSIONS: [Effect, ...Effect[]] = [
	{ type: 'status', status: 429, retryAfter: 1 },
	{ type: 'status', status: 429 },
	{ type: 'status', status: 500 },
	{ type: 'status', status: 503, when: 'after' },
	{ type: 'reset' },
	{ type: 'reset', when: 'after' },
	{ type: 'malformedJson' },
	{ type: 'truncatedJson' },
	{ type: 'emptyBody' },
	{ type: 'failTask', message: 'The soak wanted it to fail' },
];

const ON_QUERIES: [Effect, ...Effect[]] = [
	{ type: 'status', status: 429, retryAfter: 1 },
	{ type: 'status', status: 502 },
	{ type: 'reset' },
	{ type: 'truncatedJson' },
	{ type: 'emptyBody' },
];

export function addFault(sandbox: Sandbox, random: Random): void {
	const onSubmissions = random.chance(0.6);
	sandbox.faults.add({
		match: { method: onSubmissions ? 'POST' : 'GET', path: '/v1/*' },
		nth: 1 + random.below(5),
		count: 1 + random.below(2),
		effect: random.pick(onSubmissions ? ON_SUBMISSIONS : ON_QUERIES),
	});
}

/** A submission without an answer keeps its execution for a minute, so there are few of them. */
export function addHang(sandbox: Sandbox, random: Random): void {
	const when = random.chance(0.5) ? 'after' : 'before';
	sandbox.faults.add({ match: { method: 'POST', path: '/v1/*' }, effect: { type: 'hang', when } });
}
