import { invalid, ServiceError } from '../core/errors';
import { parse, promptedFailure } from '../core/http/parse';
import { isPriceKey, priced } from '../core/prices';
import { ownTask } from '../core/tasks/lifecycle';
import type { Sent, Submission } from '../core/tasks/submit';
import { OUTPUT_FPS, videoPlan, videoSize, type VideoPlan } from './clip';
import { REMIX_MODELS, remixSchema } from './request';

/** "Lengthening an 8 second video to 15 seconds." */
const EXTENSION = 7;

/**
 * Reads and plans the extension of a video (spec, section 5).
 * @throws ServiceError 404 for an unknown video, 400 for all else
 */
export function remixSubmission({ service, account, body, request: { params } }: Sent): Submission {
	const original = ownTask<VideoPlan>(service, account, params.id ?? '', 'video');
	if (!original) throw new ServiceError(404, 'video not found');
	const request = parse(remixSchema, body);
	const { plan } = original;
	if (original.results === null) throw invalid('the original video is not in status success');
	const model = REMIX_MODELS[request.model] ?? request.model;
	if (
		service.settings.strict &&
		!(request.model in REMIX_MODELS) &&
		!service.settings.extraModels.includes(model)
	) {
		throw invalid(`model: must be ${Object.keys(REMIX_MODELS).join(', ')}`);
	}
	if (model !== plan.model)
		throw invalid(`model: must be that of the original video, ${plan.model}`);

	const totalSeconds = plan.totalSeconds + EXTENSION;
	const ratio = request.aspect_ratio ?? (plan.clip.width < plan.clip.height ? '9:16' : '16:9');
	const clip = {
		...videoSize(ratio, request.resolution),
		seconds: request.raw ? EXTENSION : totalSeconds,
		fps: OUTPUT_FPS,
		prompt: request.prompt ?? '',
	};
	return {
		operation: 'remix',
		applied: { ...request, model },
		...priced(isPriceKey(model) ? model : 'other-remix'),
		failure: promptedFailure(request.prompt),
		plan: (taskId) => videoPlan(model, { ...clip, seed: taskId }, totalSeconds),
	};
}
