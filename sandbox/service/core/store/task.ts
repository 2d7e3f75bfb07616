import type { GridPlan, GridResult } from '../../grid/entities';
import type { ImagePlan, ImageResult } from '../../image/entities';
import type { MusicPlan, MusicResult } from '../../music/entities';
import type { VideoPlan, VideoResult } from '../../video/entities';

export type Family = 'image' | 'music' | 'grid' | 'video';

/** What is to be made, as the family understood the request. */
export type Plan = ImagePlan | MusicPlan | GridPlan | VideoPlan;

/** What was made. */
export type Result = ImageResult | MusicResult | GridResult | VideoResult;

/** How a task is going to end. It is settled when the task is accepted, and can be changed until it has ended. */
export type Fate = { status: 'completed' } | { status: 'failed'; message: string; code: string };

/** An accepted submission: a purchase. */
export interface Task {
	readonly id: string;
	readonly family: Family;
	readonly operation: string;
	/** The path it was submitted to. */
	readonly path: string;
	readonly key: string;
	/** The body as it came, with very long strings shortened. */
	readonly request: unknown;
	/** The fields that took effect, with defaults filled in and silent changes made. */
	readonly applied: Readonly<Record<string, unknown>>;
	/** Fields that were sent and had no effect. */
	readonly ignored: readonly string[];
	/** What the service changed without a word to the caller. */
	readonly notes: readonly string[];
	readonly webhook: string | null;
	readonly plan: Plan;
	readonly createdAt: number;
	/** Clock milliseconds from acceptance to the end; `null` waits until it is finished by hand. */
	readonly durationMs: number | null;
	/** Make every result file this many bytes long. */
	readonly padTo: number | null;
	readonly credits: number;
	/** Credits for results that were paid for and will not be made. */
	readonly missingCredits: number;
	/** Whether the submission is answered only once the callback has been tried. */
	readonly answersAfterCallback: boolean;
	fate: Fate;
	refunded: number;
	endedAt: number | null;
	result: Result | null;
}
