import type { PictureSpec } from '../media/picture';
import type { StoredFile } from '../core/store/file';

/** Token usage of an image task (spec, Image task record). */
export interface ImageUsage {
	input_tokens: number;
	input_tokens_details: { cached_tokens: number; image_tokens: number; text_tokens: number };
	output_tokens: number;
	output_tokens_details: { image_tokens: number; text_tokens: number };
	total_tokens: number;
}

export interface ImagePlan {
	family: 'image';
	/** One for each picture that will be made. */
	pictures: readonly PictureSpec[];
	usage: ImageUsage;
}

export interface ImageResult {
	family: 'image';
	files: readonly StoredFile[];
}
