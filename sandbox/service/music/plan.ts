import { dialectOf } from '../core/dialects';
import { invalid } from '../core/errors';
import { promptedFailure } from '../core/http/parse';
import type { Service } from '../core/service';
import type { Account } from '../core/store/accounts';
import { ownTask } from '../core/tasks/lifecycle';
import type { Sent, Submission } from '../core/tasks/submit';
import { isVersion, MUSIC_OPERATIONS, type MusicOperationName, SONG_CREDITS } from './operations';
import { musicRequest, type MusicRequest } from './request';
import { musicPlan, tracksOf, type MusicPlan } from './tracks';

/** Music operations (spec, section 2), and the sandbox's own `create`, by path. */
export const musicSubmissions = Object.fromEntries(
	(Object.keys(MUSIC_OPERATIONS) as MusicOperationName[]).map((name) => [
		`/v1/music/generations/${name}`,
		(sent: Sent) => musicSubmission(sent, name),
	]),
);

/**
 * Reads and plans a music operation (spec, section 2).
 * @throws ServiceError 400
 */
function musicSubmission(
	{ service, account, body }: Sent,
	operation: MusicOperationName,
): Submission {
	const request = musicRequest(service.settings, operation, body);
	const source = request.source && sourceTrack(service, account, request.source);
	const isTags = operation === 'upsampleTags';
	return {
		operation,
		// A synchronous task has no callback.
		applied: { ...request.applied, webhook: isTags ? undefined : request.webhook },
		ignored:
			isTags && request.webhook !== undefined ? [...request.ignored, 'webhook'] : request.ignored,
		...priceOf(operation, request),
		failure: failureOf(service, operation, request, source),
		...(isTags ? { durationMs: 0, isSynchronous: true } : {}),
		plan: (taskId) =>
			musicPlan(tracksOf(operation, request.applied, source?.track ?? null, taskId), {
				upsampledTags: isTags ? enhanced(textOf(request.applied.tags)) : null,
				linkless: dialectOf(service.settings.dialect).linklessTrack,
			}),
	};
}

type Source = ReturnType<typeof sourceTrack>;

/** @throws ServiceError 400 when the track does not exist, or is not ready */
function sourceTrack(
	service: Service,
	account: Account,
	{ taskId, audioIndex }: NonNullable<MusicRequest['source']>,
) {
	const task = ownTask<MusicPlan>(service, account, taskId, 'music');
	if (!task) throw invalid(`task_id: ${taskId} is not a music task`);
	if (task.results === null) throw invalid(`task_id: ${taskId} has no result`);
	const track = task.plan.tracks[audioIndex - 1];
	if (track === null) throw invalid(`audio_index: track ${audioIndex} of ${taskId} has no audio`);
	if (!track) throw invalid(`audio_index: ${taskId} has ${task.plan.tracks.length} tracks`);
	return { track, uploaded: task.plan.uploaded };
}

function priceOf(operation: MusicOperationName, { version }: MusicRequest) {
	const { credits } = MUSIC_OPERATIONS[operation];
	if (credits !== 'ofVersion') return { item: `musicgen@${operation}`, credits };
	const known = version !== null && isVersion(version) ? version : 'other';
	return { item: `musicgen@song-${known}`, credits: SONG_CREDITS[known] };
}

function failureOf(
	service: Service,
	operation: MusicOperationName,
	{ applied }: MusicRequest,
	source: Source | null,
): string | undefined {
	if (MUSIC_OPERATIONS[operation].source === 'uploaded' && !source?.uploaded) {
		const reason = 'The source must be a track that was uploaded, not one that was generated.';
		// "A generated track as source fails": the spec does not say whether at submission or at the end.
		if (service.settings.generatedSource === 'refuse') throw invalid(`task_id: ${reason}`);
		return reason;
	}
	if (operation === 'crop' && source && Number(applied.start_s) >= source.track.seconds) {
		return `The track ends at ${source.track.seconds} seconds.`;
	}
	if (operation === 'crop' && Number(applied.end_s) <= Number(applied.start_s))
		return 'The interval is empty.';
	return promptedFailure(
		[applied.prompt, applied.gpt_description, applied.tags].map(textOf).join(' '),
	);
}

function enhanced(tags: string): string {
	return `${tags}, warm analogue texture, wide stereo image, steady groove, clear mix`;
}

function textOf(value: unknown): string {
	return typeof value === 'string' ? value : '';
}
