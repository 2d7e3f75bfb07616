import type { Family } from '../store/tasks';
import {
	faultRuleSchema,
	isOn,
	type EffectKind,
	type EffectOf,
	type FaultEffect,
	type FaultMatch,
	type FaultRule,
	type FaultRuleInput,
} from './rule';

/** What rules are matched against. */
export interface Occasion {
	method: string;
	path: string;
	family: Family | null;
}

/** An effect that is due now, with the rule it comes from. */
export interface Due<Effect> {
	rule: string;
	effect: Effect;
}

/** The active rules. A request, an accepted task and a callback are matched separately. */
export class FaultBook {
	private rules: FaultRule[] = [];
	private made = 0;

	/** @throws ZodError when the rule is invalid */
	add(input: FaultRuleInput): FaultRule {
		this.made += 1;
		const rule: FaultRule = {
			id: `fault_${this.made}`,
			...faultRuleSchema.parse(input),
			matched: 0,
			applied: 0,
		};
		this.rules.push(rule);
		return rule;
	}

	list(): FaultRule[] {
		return [...this.rules];
	}

	/** @returns whether there was such a rule */
	remove(id: string): boolean {
		const before = this.rules.length;
		this.rules = this.rules.filter((rule) => rule.id !== id);
		return this.rules.length < before;
	}

	clear(): void {
		this.rules = [];
	}

	/** The effects of a kind that are due now, each of which counts as applied. A request has one answer, so at most one. */
	due<Kind extends EffectKind>(kind: Kind, occasion: Occasion): Effects<EffectOf<Kind>> {
		const most = kind === 'request' ? 1 : Infinity;
		const found: Array<Due<EffectOf<Kind>>> = [];
		for (const rule of this.rules) {
			if (!isOn(kind, rule.effect) || !matches(rule.match, occasion)) continue;
			rule.matched += 1;
			const isDue = rule.matched >= rule.nth && (rule.count === null || rule.applied < rule.count);
			if (!isDue || found.length === most) continue;
			rule.applied += 1;
			found.push({ rule: rule.id, effect: rule.effect });
		}
		return new Effects(found);
	}
}

/** Effects on the same occasion, at most one of a type. */
export class Effects<Effect extends FaultEffect> {
	constructor(readonly all: ReadonlyArray<Due<Effect>>) {}

	/** Ids of their rules, or `null` if there are none. */
	get rules(): string | null {
		return this.all.length > 0 ? this.all.map(({ rule }) => rule).join(' ') : null;
	}

	/** The effect of a type, with its rule. */
	find<Type extends Effect['type']>(type: Type): Due<Extract<Effect, { type: Type }>> | undefined {
		const isIt = (one: Due<Effect>): one is Due<Extract<Effect, { type: Type }>> =>
			one.effect.type === type;
		return this.all.find(isIt);
	}
}

function matches({ method, path, family }: FaultMatch, occasion: Occasion): boolean {
	if (method !== undefined && method.toUpperCase() !== occasion.method) return false;
	if (family !== undefined && family !== occasion.family) return false;
	return path === undefined || glob(path).test(occasion.path);
}

function glob(pattern: string): RegExp {
	const parts = pattern.split('*').map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'));
	return new RegExp(`^${parts.join('.*')}$`);
}
