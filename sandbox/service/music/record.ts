import type { Service } from '../core/service';
import { progressOf, type Task } from '../core/store/tasks';
import { RecordWriter } from '../core/tasks/record';
import type { MusicPlan } from './tracks';

/** Progress goes 10 (queued), 50 (ready), 100 (finished). */
const QUEUED = 10;
const READY = 50;
const FINISHED = 100;

/** Everyday names of stems, as some services have them in the fields of a track. */
const SHORT_NAMES: Readonly<Record<string, string>> = {
	lead_vocal: 'vocals',
	drum_kit: 'drums',
	backing_track: 'instrumental',
};

interface Stem {
	name: string;
	url: string;
}

/** `data` of `GET /v1/music/tasks/{task_id}`: `status`, `progress`, `result`, `error` (spec, Music task). */
export function musicTaskRecord(service: Service, task: Task<MusicPlan>): object {
	const writer = new RecordWriter(service);
	const { stage, share } = progressOf(task, service.clock.now());
	const { words, links } = writer.dialect;
	const { results } = task;
	const stems = (results ?? []).flatMap(({ name, file }): Stem[] =>
		name === null ? [] : [{ name, url: service.files.url(file) }],
	);
	const progress = stage === 'completed' ? FINISHED : share < 0.5 ? QUEUED : READY;
	return {
		...writer.echo(task),
		...(links === 'record'
			? Object.fromEntries(stems.map(({ name, url }) => [`${name}_url`, url]))
			: {}),
		status: words.music[stage],
		progress: writer.percent(progress),
		result: results ? resultOf(service, writer, task, stems) : (writer.blank.container ?? null),
		error:
			stage === 'failed' && task.outcome.status === 'failed'
				? { message: task.outcome.message }
				: (writer.blank.error ?? null),
	};
}

function resultOf(
	service: Service,
	writer: RecordWriter,
	{ results, plan }: Task<MusicPlan>,
	stems: readonly Stem[],
): object {
	if (plan.upsampledTags !== null) return { upsampled_tags: plan.upsampledTags };
	if (stems.length > 0) return stemsIn(writer.dialect.links, stems);
	const music = plan.tracks.map((track, at) => {
		const file = results?.find(({ index }) => index === at + 1)?.file;
		if (!file) return { audio_url: null };
		return {
			audio_url: writer.link(service.files.url(file)),
			...(writer.dialect.numbersAsText && track
				? { title: track.title, duration: writer.number(track.seconds) }
				: {}),
		};
	});
	return writer.dialect.links === 'lists' ? { music, stems: [] } : { music };
}

/** The links of stems. "Field names … not shown": all of these are the sandbox's own. */
function stemsIn(place: RecordWriter['dialect']['links'], stems: readonly Stem[]): object {
	const byField = (field: (name: string) => string) =>
		Object.fromEntries(stems.map(({ name, url }) => [field(name), url]));
	switch (place) {
		case 'result':
			return { stems: byField((name) => `${name}_url`) };
		case 'lists':
			return { music: [], stems: stems.map(({ name, url }) => ({ name, url: [url] })) };
		case 'record':
			return { music: [] };
		case 'nested':
			return {
				output: { stems: Object.fromEntries(stems.map(({ name, url }) => [name, { url }])) },
			};
		case 'items':
			return {
				music: [{ audio_url: null, ...byField((name) => `${SHORT_NAMES[name] ?? name}_url`) }],
			};
	}
}
