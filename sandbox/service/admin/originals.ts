import { z } from 'zod/v3';
import { SANDBOX_KEYS } from '../core/options';
import type { Service } from '../core/service';
import { failed, type Task } from '../core/store/tasks';
import { createTask, endTask } from '../core/tasks/lifecycle';
import { buttonsOf } from '../grid/buttons';
import { gridPlan } from '../grid/plan';
import { musicPlan } from '../music/tracks';
import { OUTPUT_FPS, VIDEO_RATIOS, videoPlan, videoSize } from '../video/clip';

/** Options of every original: the key it belongs to, and its state. */
const common = {
	key: z.string().default(SANDBOX_KEYS.default),
	state: z.enum(['completed', 'running', 'failed']).default('completed'),
};

/** An uploaded track: the source that `addInstrumental` and `addVocals` require. */
export const uploadedTrackSchema = z
	.object({
		...common,
		seconds: z.number().min(0.1).max(600).default(60),
		title: z.string().default('uploaded track'),
	})
	.strict()
	.default({});

/** The parent of grid operations. */
export const originalGridSchema = z
	.object({
		...common,
		action: z.enum(['IMAGINE', 'UPSCALE', 'PAN']).default('IMAGINE'),
		prompt: z.string().default('an original grid'),
		/** Inherited by follow-up tasks. */
		settings: z.record(z.unknown()).default({}),
		/** Whether an upscaled picture offers "Make Variations" rather than "Vary (Subtle)". */
		olderButtons: z.boolean().default(false),
		/** Buttons in place of the usual ones. */
		buttons: z
			.array(z.object({ custom_id: z.string(), label: z.string(), emoji: z.string().default('') }))
			.optional(),
	})
	.strict()
	.default({});

/** The original of an extension, or a reference video of any properties. */
export const originalVideoSchema = z
	.object({
		...common,
		model: z.string().min(1).default('vidgen3.1-fast'),
		prompt: z.string().default('an original video'),
		seconds: z.number().min(0.5).max(60).default(8),
		aspectRatio: z.enum(VIDEO_RATIOS).default('16:9'),
		resolution: z.enum(['720p', '1080p', '4k']).default('720p'),
		/** Even numbers of pixels, in place of ratio and resolution. */
		width: z.number().int().multipleOf(2).min(16).max(8192).optional(),
		height: z.number().int().multipleOf(2).min(16).max(8192).optional(),
		fps: z.number().min(1).max(240).default(OUTPUT_FPS),
		/** Pads the file to that length. */
		bytes: z.number().int().min(0).optional(),
	})
	.strict()
	.default({});

export type UploadedTrackOptions = z.input<typeof uploadedTrackSchema>;
export type OriginalGridOptions = z.input<typeof originalGridSchema>;
export type OriginalVideoOptions = z.input<typeof originalVideoSchema>;

type State = z.output<typeof common.state>;

/**
 * Makes source tasks for follow-up operations. They are free and not in the ledger.
 */
export class Originals {
	constructor(private readonly service: Service) {}

	track(options: UploadedTrackOptions): Task {
		const { key, state, seconds, title } = uploadedTrackSchema.parse(options);
		const seed = this.service.ids.next('track');
		return this.make(state, {
			operation: 'upload',
			key,
			plan: musicPlan({ tracks: [{ seconds, seed, fadeIn: 0, title }] }, { uploaded: true }),
		});
	}

	grid(options: OriginalGridOptions): Task {
		const { key, state, action, prompt, settings, olderButtons, buttons } =
			originalGridSchema.parse(options);
		const id = this.service.newTaskId();
		const offered = buttons ?? buttonsOf(action, id, olderButtons);
		const plan = gridPlan(action, id, prompt, settings, offered);
		return this.make(state, { id, operation: action.toLowerCase(), key, plan });
	}

	video(options: OriginalVideoOptions): Task {
		const { key, state, model, prompt, seconds, fps, bytes, ...frame } =
			originalVideoSchema.parse(options);
		const size = videoSize(frame.aspectRatio, frame.resolution);
		const seed = this.service.ids.next('clip');
		return this.make(state, {
			operation: 'original',
			key,
			padTo: bytes ?? null,
			plan: videoPlan(model, {
				width: frame.width ?? size.width,
				height: frame.height ?? size.height,
				seconds,
				fps,
				seed,
				prompt,
			}),
		});
	}

	private make(state: State, given: Parameters<typeof createTask>[1]): Task {
		const task = createTask(this.service, { ...given, durationMs: null });
		const failure = state === 'failed' ? failed('It was made as a failed one.') : undefined;
		if (state !== 'running') endTask(this.service, task, failure);
		return task;
	}
}
