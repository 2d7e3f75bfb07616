import type { Logger } from 'n8n-workflow';

import { isObject } from '../util/json';

/** The part of an n8n context that reaches the custom data of the execution. A webhook's context has it too. */
export interface CustomDataContext {
	logger: Logger;
	evaluateExpression(expression: string, itemIndex?: number): unknown;
}

interface CustomData {
	get(key: string): unknown;
	set(key: string, value: string): unknown;
}

function isCustomData(value: unknown): value is CustomData {
	return isObject(value) && typeof value.get === 'function' && typeof value.set === 'function';
}

/** n8n 2.x has it on the context, after 2.8. Before, only expressions reach it. */
function customDataOf(context: CustomDataContext): CustomData {
	const own: unknown = 'customData' in context ? context.customData : undefined;
	if (isCustomData(own)) return own;
	const evaluate = (call: string) => context.evaluateExpression(`{{ $execution.customData.${call} }}`, 0);
	return {
		get: (key) => evaluate(`get(${JSON.stringify(key)})`),
		set: (key, value) => evaluate(`set(${JSON.stringify(key)}, ${JSON.stringify(value)})`),
	};
}

/** Adds amounts to numbers in the execution's custom data. */
export function addToCustomData(context: CustomDataContext, amounts: Readonly<Record<string, number>>): void {
	const data = customDataOf(context);
	for (const [key, amount] of Object.entries(amounts)) {
		const before = Number(data.get(key) ?? 0);
		data.set(key, String(Number(((Number.isFinite(before) ? before : 0) + amount).toFixed(6))));
	}
}

/** Does work for the custom data that must never fail the node: the output is worth more than the figures. */
export function bestEffort({ logger }: CustomDataContext, work: () => void): void {
	try {
		work();
	} catch (error) {
		logger.warn(`MediaGen: the execution's custom data could not be written: ${String(error)}`);
	}
}
