import type { PictureSpec } from '../media/picture';
import type { StoredFile } from '../core/store/file';

/** The three that can be asked for, and those whose endpoints the spec does not show. */
export type GridAction = 'VARIATION' | 'LOW_VARIATION' | 'REROLL' | 'IMAGINE' | 'UPSCALE' | 'PAN';

/** A follow-up operation that a task offers. The names of its fields are the sandbox's own. */
export interface GridButton {
	custom_id: string;
	label: string;
	emoji: string;
}

export interface GridPlan {
	family: 'grid';
	action: GridAction;
	prompt: string;
	/** Four for a grid, one for an upscaled picture. */
	pictures: readonly PictureSpec[];
	buttons: readonly GridButton[];
	/** Version and niji-style settings, which follow-up tasks inherit. */
	settings: Readonly<Record<string, unknown>>;
}

export interface GridResult {
	family: 'grid';
	/** `null` for a single picture. */
	grid: StoredFile | null;
	images: readonly StoredFile[];
}
