import { promptedFailure } from '../core/http/parse';
import { PRICES } from '../core/prices';
import type { Plan, PlannedFile } from '../core/store/tasks';
import type { Sent, Submission } from '../core/tasks/submit';
import { PICTURE_FORMATS } from '../media/picture';
import type { Size } from '../media/size';
import { imageRequest, type ImageRequest } from './request';

/** "A 1K image is about 1120 output tokens" (spec, 3b). */
const TOKENS_PER_1K_IMAGE = 1120;
const PIXELS_OF_1K = 1024 * 1024;
const TOKENS_PER_REFERENCE = 258;

export interface ImagePlan extends Plan {
	family: 'image';
	usage: ReturnType<typeof usage>;
}

/**
 * Reads and plans an image generation (spec, section 3): `n` pictures of one size, paid for one by one.
 * @throws ServiceError 400
 */
export async function imageSubmission({ service, body }: Sent): Promise<Submission> {
	const request = await imageRequest(service, body);
	const { applied, notes, item } = request;
	const { n, prompt, image_urls: references = [] } = applied;
	return {
		operation: 'generate',
		applied,
		notes,
		item,
		credits: PRICES[item] * n,
		creditsPerResult: PRICES[item],
		failure: promptedFailure(prompt),
		plan: (_taskId, produced = n): ImagePlan => {
			const made = Math.min(produced, n);
			return {
				family: 'image',
				files: Array.from({ length: made }, (_, at) => picture(request, at + 1)),
				usage: usage(prompt, references.length, request.size, made),
			};
		},
	};
}

function picture({ size, applied }: ImageRequest, index: number): PlannedFile {
	const { prompt, n, model, output_format, output_compression: compression = null } = applied;
	const format = PICTURE_FORMATS.find((known) => known === output_format) ?? 'png';
	const caption = `${index}/${n} · ${model}`;
	return {
		index,
		name: null,
		suffix: `${index}.${format}`,
		contentType: `image/${format}`,
		content: {
			type: 'picture',
			picture: { ...size, format, compression, prompt, caption, seed: String(index) },
		},
	};
}

/** Token usage of an image task (spec, Image task record). */
function usage(prompt: string, references: number, { width, height }: Size, made: number) {
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
