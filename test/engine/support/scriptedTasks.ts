import type { INodeParameters } from 'n8n-workflow';

import { MediaGenMusic } from '../../../nodes/MediaGenMusic/MediaGenMusic.node';
import { type RunOptions, runNode } from './engine';
import { generateSound, soundPrompts } from './generateSound';
import type { Service } from './operations';
import type { Reply, ScriptedService, SeenRequest } from './scriptedService';

export const SOUNDS = '/v1/music/generations/sounds';

export const RECORD = '/v1/music/tasks/*';

export const accepted = (taskId: string): Reply => ({
	json: { code: 200, data: [{ status: 'submitted', task_id: taskId }] },
});

/** The service's own error. */
export const serviceError = (status: number, message: string, more: object = {}): Reply => ({
	status,
	json: { error: { message, ...more } },
});

/** Nothing is bought. */
export const refused = serviceError(400, 'Too loud');

/** Something may have been bought. */
export const unclear: Reply = { status: 500 };

/** The service has no such task. */
export const unknownTask = serviceError(404, 'No such task', {
	type: 'not_found_error',
	code: 404,
});

/** A song at each of these addresses, as a record has it. */
export const songAt = (...urls: string[]) => ({ music: urls.map((audio_url) => ({ audio_url })) });

/** A completed record with that result. */
export const completedWith = (result: unknown, more: object = {}): Reply => ({
	json: { status: 'completed', result, ...more },
});

/** A record of a failed task, which the service refunds. */
export const failed = (message = 'Too loud', more: object = {}): Reply => ({
	json: { status: 'failed', error: { message }, ...more },
});

export const running: Reply = {
	json: { code: 200, data: { status: 'pending', progress: 10, result: null, error: null } },
};

export const completed: Reply = {
	json: {
		code: 200,
		data: {
			status: 'completed',
			progress: 100,
			result: { music: [{ audio_url: 'https://files.example.com/1.mp3' }] },
			error: null,
		},
	},
};

/** Each submission buys a task of its own: task_1, task_2 … */
export function numberTasks(service: ScriptedService): void {
	let last = 0;
	service.on('POST', '*', () => accepted(`task_${++last}`));
}

/** Replies to each prompt, one after the other, for requests that arrive in any order; the last one stays. */
export function byPrompt(
	replies: Record<string, Reply | Reply[]>,
): (request: SeenRequest) => Reply {
	const left = Object.entries(replies).map(
		([prompt, given]) => [prompt, Array.isArray(given) ? [...given] : [given]] as const,
	);
	return ({ body }) => {
		const { prompt } = body as { prompt: string };
		const own = left.find(([each]) => each === prompt)?.[1] ?? [];
		return (own.length > 1 ? own.shift() : own[0]) ?? unclear;
	};
}

/** How a run differs: `given` over the parameters, or anything else of a run. */
export type Differences = Partial<RunOptions> & { given?: INodeParameters };

/** A run that buys a sound for each of `count` items, with these options. */
export function soundRun(
	service: Service,
	count = 1,
	options: INodeParameters = {},
	{ given, ...run }: Differences = {},
): RunOptions {
	return {
		node: new MediaGenMusic(),
		parameters: { ...generateSound, ...given, options: { pollInterval: 1, ...options } },
		items: soundPrompts(count),
		credential: service.credential(),
		...run,
	};
}

export const buySounds = async (...run: Parameters<typeof soundRun>) =>
	await runNode(soundRun(...run));

/** The node as a tool of an AI agent. */
export function soundTool(): MediaGenMusic {
	const tool = new MediaGenMusic();
	tool.description = { ...tool.description, name: 'mediaGenMusicTool' };
	return tool;
}

/** An answer in chat, in messages style. */
export const chatAnswer = (text: string): Reply => ({
	json: {
		content: [{ type: 'text', text }],
		stop_reason: 'end_turn',
		usage: { input_tokens: 1, output_tokens: 1 },
	},
});
