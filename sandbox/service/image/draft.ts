import type { ImagePlan, ImageUsage } from './entities';
import type { Submission } from '../core/tasks/submit';
import type { PictureSpec } from '../media/picture';
import type { Size } from './sizes';
import { PRICES, type PriceKey } from '../core/prices';
import { promptedFailure } from '../core/http/submission';

/** "A 1K image is about 1120 output tokens" (spec, 3b). */
const TOKENS_PER_1K_IMAGE = 1120;
const PIXELS_OF_1K = 1024 * 1024;
const TOKENS_PER_REFERENCE = 258;

/** A submission, but for what the request brings along. */
export type ImageDraft = Omit<Submission, 'account' | 'path' | 'body'>;

/** What a model family has made of a request. */
export interface DraftParts {
	size: Size;
	applied: Record<string, unknown> & { prompt: string; n: number; model: string };
	notes: string[];
	webhook: string | undefined;
	item: PriceKey;
	format: PictureSpec['format'];
	compression: number | null;
	references: number;
}

/** What is to be bought: so many pictures of one size. */
export function imageDraft({ size, applied, notes, webhook, item, format, compression, references }: DraftParts): ImageDraft {
	const { prompt, n, model } = applied;
	const picture = (index: number): Omit<PictureSpec, 'seed'> => ({
		...size,
		format,
		compression,
		prompt,
		caption: `${index}/${n} · ${model}`,
	});
	return {
		family: 'image',
		operation: 'generate',
		applied,
		notes,
		webhook,
		item,
		credits: PRICES[item] * n,
		creditsPerResult: PRICES[item],
		failure: promptedFailure(prompt),
		plan: (taskId, produced = n): ImagePlan => {
			const made = Math.min(produced, n);
			return {
				family: 'image',
				pictures: Array.from({ length: made }, (_, at) => ({ ...picture(at + 1), seed: `${taskId}/${at + 1}` })),
				usage: usage(prompt, references, size, made),
			};
		},
	};
}

function usage(prompt: string, references: number, { width, height }: Size, made: number): ImageUsage {
	const text = Math.max(1, Math.ceil(prompt.length / 4));
	const images = references * TOKENS_PER_REFERENCE;
	const output = Math.round((TOKENS_PER_1K_IMAGE * width * height) / PIXELS_OF_1K) * made;
	return {
		input_tokens: text + images,
		input_tokens_details: { cached_tokens: 0, image_tokens: images, text_tokens: text },
		output_tokens: output,
		output_tokens_details: { image_tokens: output, text_tokens: 0 },
		total_tokens: text + images + output,
	};
}
