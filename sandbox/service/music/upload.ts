import type { FastifyRequest } from 'fastify';
import { z } from 'zod/v3';
import { invalid } from '../core/errors';
import { readForm } from '../core/http/multipart';
import { parse, unknownFields, webhookField } from '../core/http/parse';
import { priced } from '../core/prices';
import type { Service } from '../core/service';
import type { StoredFile } from '../core/store/files';
import type { Sent, Submission } from '../core/tasks/submit';
import { musicPlan, type MusicPlan } from './tracks';

const LARGEST_UPLOAD = 100 * 1024 * 1024;
/** The length that is assumed where the sandbox cannot tell it. */
const ASSUMED_SECONDS = 60;

const EXTENSIONS: Readonly<Record<string, string>> = {
	'audio/mpeg': 'mp3',
	'audio/mp4': 'm4a',
	'audio/ogg': 'ogg',
	'audio/flac': 'flac',
};

const fieldsSchema = z.object({ title: z.string().optional(), webhook: webhookField });
const linkSchema = fieldsSchema.extend({
	audio_url: z.string().regex(/^https?:\/\//i, 'must be an http or https URL'),
});

/** What was uploaded, as far as the sandbox knows it. */
type Audio = Pick<StoredFile, 'contentType' | 'content'> | null;

/**
 * Reads `POST /v1/music/uploads`: form data with the field `file`, or JSON with `audio_url`. The spec names upload tasks
 * and shows no endpoint: this one is the sandbox's own.
 * @throws ServiceError 400
 */
export async function uploadSubmission({ service, body, request }: Sent): Promise<Submission> {
	const { form, fields, audio } = request.isMultipart()
		? await fromForm(service, request)
		: fromLink(service, body);
	return {
		operation: 'upload',
		form,
		applied: fields,
		ignored: unknownFields(form ?? body, [...Object.keys(fields), 'file']),
		...priced('musicgen@upload'),
		durationMs: 0,
		plan: (taskId) => uploadedPlan(taskId, audio, fields.title),
	};
}

async function fromForm(service: Service, request: FastifyRequest) {
	const { filename, contentType, bytes, fields } = await readForm(request, LARGEST_UPLOAD, invalid);
	const audio: Audio = { contentType, content: service.files.keepUpload(bytes) };
	return {
		form: { ...fields, file: { filename, bytes: bytes.length } },
		fields: parse(fieldsSchema, fields),
		audio,
	};
}

function fromLink({ files }: Service, body: unknown) {
	const fields = parse(linkSchema, body);
	const file = files.byUrl(fields.audio_url);
	if (file === 'gone') throw invalid('audio_url: there is no file at this address');
	const audio: Audio = file === 'foreign' ? null : file;
	return { form: undefined, fields, audio };
}

/** The uploaded audio is the result; without it, a sample. */
function uploadedPlan(seed: string, audio: Audio, title = 'uploaded track'): MusicPlan {
	const track = { seconds: secondsOf(audio), seed, fadeIn: 0, title };
	const plan = musicPlan({ tracks: [track] }, { uploaded: true });
	if (!audio) return plan;
	const suffix = `1.${EXTENSIONS[audio.contentType] ?? 'wav'}`;
	return {
		...plan,
		files: plan.files.map((file) => ({
			...file,
			suffix,
			contentType: audio.contentType,
			content: audio.content,
		})),
	};
}

/** The length of a sample track, or of uploaded WAV data. */
function secondsOf(audio: Audio): number {
	if (audio?.content.type === 'track') return audio.content.track.seconds;
	if (audio?.content.type !== 'bytes') return ASSUMED_SECONDS;
	const { bytes } = audio.content.upload;
	if (!bytes) return ASSUMED_SECONDS;
	const isWave =
		bytes.length > 44 &&
		bytes.toString('latin1', 0, 4) === 'RIFF' &&
		bytes.toString('latin1', 8, 12) === 'WAVE';
	const bytesPerSecond = isWave ? bytes.readUInt32LE(28) : 0;
	return bytesPerSecond > 0 ? (bytes.length - 44) / bytesPerSecond : ASSUMED_SECONDS;
}
