import { invalid, ServiceError } from '../core/errors';
import { parse, PHRASES, promptedFailure, unknownFields } from '../core/http/parse';
import { priced, type PriceKey } from '../core/prices';
import type { Service } from '../core/service';
import type { Plan, PlannedFile } from '../core/store/tasks';
import { ownTask } from '../core/tasks/lifecycle';
import type { Sent, Submission } from '../core/tasks/submit';
import type { PictureSpec } from '../media/picture';
import { buttonsOf, matchButton, type GridAction, type GridButton } from './buttons';
import {
	GRID_OPERATIONS,
	gridIndex,
	gridSchema,
	imagineSchema,
	REFUSAL_CODE,
	SPEEDS,
	type GridOperation,
	type GridOperationName,
} from './request';

export interface GridPlan extends Plan {
	family: 'grid';
	action: GridAction;
	prompt: string;
	buttons: readonly GridButton[];
	/** Version and niji-style settings, which follow-up tasks inherit. */
	settings: Readonly<Record<string, unknown>>;
}

const EDGE = 512;

/** Grid operations (spec, section 4), and the sandbox's own imagine and upscale, by path. */
export const gridSubmissions = {
	'/v1/gridart/generations/imagine': imagineSubmission,
	...Object.fromEntries(
		(Object.keys(GRID_OPERATIONS) as GridOperationName[]).map((name) => [
			GRID_OPERATIONS[name].path,
			(sent: Sent) => gridSubmission(sent, name),
		]),
	),
};

/**
 * Reads and plans a follow-up on a grid task (spec, section 4).
 * @throws ServiceError 400, 404 or 502, with the codes of the operation's table
 */
function gridSubmission({ service, account, body }: Sent, name: GridOperationName): Submission {
	const operation: GridOperation = GRID_OPERATIONS[name];
	const refuse = (message: string) => new ServiceError(400, message, operation.codes?.invalid);
	const request = parse(gridSchema, body);
	if (request.task_id === undefined) throw refuse(`task_id is required for ${name}`);
	checkSpeed(service, request.speed);
	const needsIndex = name !== 'reroll' && request.custom_id === undefined;
	const index = gridIndex.safeParse(request.index);
	if (needsIndex && !index.success)
		throw refuse('index: must be 1 to 4 where there is no custom_id');

	const parent = ownTask<GridPlan>(service, account, request.task_id, 'grid');
	if (!parent) throw new ServiceError(404, 'task not found', operation.codes?.notFound);
	if (parent.results === null) throw refuse('task is not in SUCCESS state');
	const { plan } = parent;
	const button =
		request.custom_id === undefined
			? matchButton(name, plan.buttons, index.data)
			: plan.buttons.find(({ custom_id }) => custom_id === request.custom_id);
	if (!button)
		throw refuse(
			request.custom_id === undefined
				? 'the task offers no such operation'
				: 'the task has no button of this custom_id',
		);
	if (name === 'reroll' && plan.prompt.includes(PHRASES.refuse))
		throw new ServiceError(502, 'service refusal', REFUSAL_CODE);

	const { index: _sent, ...given } = request;
	const applied = {
		...given,
		...(needsIndex ? { index: index.data } : {}),
		custom_id: button.custom_id,
	};
	return {
		operation: name,
		applied: { ...applied, inherited: plan.settings },
		ignored: unknownFields(body, Object.keys(applied)),
		...priced(priceKey(operation.action, request.speed)),
		failure: promptedFailure(plan.prompt),
		plan: (taskId) => gridPlan(operation.action, taskId, plan.prompt, plan.settings),
	};
}

/**
 * Reads and plans a first grid.
 * @throws ServiceError 400
 */
function imagineSubmission({ service, body }: Sent): Submission {
	const applied = parse(imagineSchema, body);
	const { prompt, speed, version, niji } = applied;
	checkSpeed(service, speed);
	if (prompt.includes(PHRASES.unsafe)) throw invalid('prompt: refused by the safety review');
	return {
		operation: 'imagine',
		applied,
		...priced(priceKey('IMAGINE', speed)),
		failure: promptedFailure(prompt),
		plan: (taskId) => gridPlan('IMAGINE', taskId, prompt, { version, niji }),
	};
}

/** A grid of four sample pictures; a single one for UPSCALE and PAN. */
export function gridPlan(
	action: GridAction,
	taskId: string,
	prompt: string,
	settings: GridPlan['settings'],
	buttons: readonly GridButton[] = buttonsOf(action, taskId),
): GridPlan {
	const count = action === 'UPSCALE' || action === 'PAN' ? 1 : 4;
	const pictures = Array.from({ length: count }, (_, at): PictureSpec => ({
		width: EDGE,
		height: EDGE,
		format: 'png',
		compression: null,
		// A re-roll or a variation must look different from its parent.
		seed: action === 'IMAGINE' ? String(at + 1) : `${taskId}/${at + 1}`,
		prompt,
		caption: `${at + 1}/${count} · ${action}`,
	}));
	const png = { contentType: 'image/png' };
	const grid: PlannedFile = {
		...png,
		suffix: 'grid.png',
		index: null,
		name: 'grid',
		content: { type: 'composite', pictures },
	};
	const singles = pictures.map((picture, at): PlannedFile => ({
		...png,
		suffix: `${at + 1}.png`,
		index: at + 1,
		name: null,
		content: { type: 'picture', picture },
	}));
	return {
		family: 'grid',
		action,
		prompt,
		settings,
		buttons,
		files: count === 4 ? [grid, ...singles] : singles,
	};
}

/** The billing key with its speed: the spec shows suffixes for `fast` and `turbo` only. */
function priceKey(action: Exclude<GridAction, 'PAN'>, speed: string | undefined): PriceKey {
	const billing = `gridart@${action.toLowerCase() as Lowercase<typeof action>}` as const;
	return speed === 'fast' || speed === 'turbo' ? `${billing}-${speed}` : billing;
}

/** @throws ServiceError 400 in a strict sandbox */
function checkSpeed({ settings }: Service, speed: string | undefined): void {
	if (settings.strict && speed !== undefined && !SPEEDS.includes(speed))
		throw invalid(`speed: must be ${SPEEDS.join(', ')}`);
}
