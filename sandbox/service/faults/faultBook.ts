import type { Family } from '../entities/task';
import {
	faultRuleSchema,
	isCallbackEffect,
	isRequestEffect,
	isTaskEffect,
	type CallbackEffect,
	type FaultEffect,
	type FaultMatch,
	type FaultRule,
	type FaultRuleInput,
	type RequestEffect,
	type TaskEffect,
} from './rule';

/** What a rule is held against. */
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

/**
 * The rules in force. A request, an accepted task and a callback are each an occasion of their own: every rule for it
 * counts the match, and the first that is due takes effect.
 */
export class FaultBook {
	private rules: FaultRule[] = [];
	private made = 0;

	/** @throws ZodError when the rule is not one */
	add(input: FaultRuleInput): FaultRule {
		this.made += 1;
		const rule: FaultRule = { id: `fault_${this.made}`, ...faultRuleSchema.parse(input), matched: 0, applied: 0 };
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

	forRequest(occasion: Occasion): Due<RequestEffect> | null {
		return this.due(occasion, isRequestEffect);
	}

	forTask(occasion: Occasion): Due<TaskEffect> | null {
		return this.due(occasion, isTaskEffect);
	}

	forCallback(occasion: Occasion): Due<CallbackEffect> | null {
		return this.due(occasion, isCallbackEffect);
	}

	private due<Effect extends FaultEffect>(
		occasion: Occasion,
		isKind: (effect: FaultEffect) => effect is Effect,
	): Due<Effect> | null {
		let found: Due<Effect> | null = null;
		for (const rule of this.rules) {
			if (!isKind(rule.effect) || !matches(rule.match, occasion)) continue;
			rule.matched += 1;
			const isDue = rule.matched >= rule.nth && (rule.count === null || rule.applied < rule.count);
			if (found || !isDue) continue;
			rule.applied += 1;
			found = { rule: rule.id, effect: rule.effect };
		}
		return found;
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
