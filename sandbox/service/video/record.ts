import type { Service } from '../core/service';
import type { Task } from '../core/store/tasks';
import { RecordWriter } from '../core/tasks/record';

/**
 * A video task. Its record is not shown: it has the fields of the image record, and the link's place is the dialect's
 * own. Of the state words, the spec shows `success` only.
 */
export function videoTaskRecord(service: Service, task: Task): object {
	const writer = new RecordWriter(service);
	const { links, words } = writer.dialect;
	const record = { ...writer.common(task, words.video), result: writer.blank.container };
	const file = task.results?.[0]?.file;
	if (!file) return record;
	const url = service.files.url(file);
	const expires_at = writer.expiry(file);
	switch (links) {
		case 'result':
			return { ...record, result: { video_url: url, expires_at } };
		case 'lists':
			return { ...record, result: { images: [], videos: [{ url: [url], expires_at }] }, usage: [] };
		case 'record':
			return { ...record, video_url: url, expires_at, usage: [] };
		case 'nested':
			return { ...record, result: { output: { video: { url, expires_at } } } };
		case 'items':
			return { ...record, result: { images: [], urls: [url], cover_url: null, expires_at } };
	}
}
