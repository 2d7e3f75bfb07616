import { invalid } from '../core/errors';
import { parse, promptedFailure } from '../core/http/parse';
import { isPriceKey, PRICES } from '../core/prices';
import type { Service } from '../core/service';
import type { Sent, Submission } from '../core/tasks/submit';
import { nearestRatio } from '../media/size';
import { OUTPUT_FPS, VIDEO_RATIOS, videoPlan, videoSize, type VideoRatio } from './clip';
import {
	multiPromptSchema,
	shotTypeSchema,
	VIDEO_MODEL,
	videoRequest,
	type VideoRequest,
} from './request';
import { checkPictures, checkReferenceVideo, checkShots, imagesOf, markedPrompt } from './rules';

/** Seconds. Only models that the spec does not name may ask for more. */
const LONGEST_SAMPLE = 60;

/**
 * Reads and plans a video generation (spec, section 6).
 * @throws ServiceError 400
 */
export async function videoSubmission({ service, body }: Sent): Promise<Submission> {
	const { strict } = service.settings;
	const request = videoRequest(service.settings, body);
	checkPictures(request, strict);
	const shots = multiShot(request, body);
	const images = imagesOf(request);
	if (
		strict &&
		!request.prompt &&
		images.length === 0 &&
		!request.video_list?.length &&
		!('multi_prompt' in shots)
	) {
		throw invalid('prompt: is required if there is no other input');
	}
	// The spec sets no limits on a video's reference images: they only have to exist.
	await service.references.check(images, request.image_urls ? 'image_urls' : 'image_with_roles');
	for (const [index, { element_input_urls: urls }] of (request.element_list ?? []).entries())
		await service.references.check(urls, `element_list[${index}].element_input_urls`);
	const reference = checkReferenceVideo(service, request);
	const { applied, notes } = effective(request, shots);
	const isEdit = request.video_list?.[0]?.refer_type === 'base';
	const seconds =
		isEdit && reference ? reference.seconds : Math.min(request.duration, LONGEST_SAMPLE);
	const ratio = await ratioOf(service, request, images, notes);
	const clip = {
		...videoSize(ratio, request.mode),
		seconds,
		fps: OUTPUT_FPS,
		seed: '1',
		prompt: applied.prompt ?? '',
	};
	const priced = `vidomni-v3-omni@${request.mode}`;
	const item = request.model === VIDEO_MODEL && isPriceKey(priced) ? priced : 'other-video';
	return {
		operation: 'generate',
		applied,
		notes,
		item,
		credits: Math.ceil(PRICES[item] * seconds),
		failure: promptedFailure(request.prompt),
		plan: () => videoPlan(request.model, clip),
	};
}

/** The multi-shot fields that take effect. */
function multiShot(request: VideoRequest, body: unknown) {
	if (request.multi_shot !== true) return {};
	const { shot_type } = parse(shotTypeSchema, body);
	if (shot_type === 'intelligence') return { shot_type };
	const { multi_prompt } = parse(multiPromptSchema, body);
	checkShots(multi_prompt, request.duration);
	return { shot_type, multi_prompt };
}

function effective(request: VideoRequest, shots: object) {
	const { audio, ...fields } = request;
	const notes: string[] = [];
	const prompt = markedPrompt(request);
	if (prompt !== request.prompt) notes.push('prompt: <<<image_1>>> was put in front');
	const hasSound = audio !== undefined && !request.video_list?.length;
	return {
		applied: {
			...fields,
			...(prompt === undefined ? {} : { prompt }),
			...shots,
			...(hasSound ? { audio } : {}),
		},
		notes,
	};
}

/** "For image-to-video the actual image ratio may override it": it does, if the sandbox knows the image. */
async function ratioOf(
	service: Service,
	request: VideoRequest,
	images: readonly string[],
	notes: string[],
): Promise<VideoRatio> {
	const image = images[0] === undefined ? null : await service.references.inspect(images[0]);
	if (!image) return VIDEO_RATIOS.find((known) => known === request.aspect_ratio) ?? '16:9';
	const nearest = nearestRatio(image, VIDEO_RATIOS);
	if (nearest !== request.aspect_ratio) notes.push(`aspect_ratio: ${nearest}, as the picture`);
	return nearest;
}
