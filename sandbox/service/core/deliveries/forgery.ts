import type { Task } from '../store/task';

const FORGED_LINK = 'https://forged.example.com/result';

/** A callback's body for a task that does not exist. */
export function ofUnknownTask(body: unknown): unknown {
	return mapStrings(body, (name, text) => (name === 'id' ? `task_forged_${text.slice(-8)}` : text));
}

/** A callback's body whose links lead elsewhere. */
export function withWrongLinks(body: unknown): unknown {
	return mapStrings(body, (_name, text) => (/^https?:\/\//.test(text) ? FORGED_LINK : text));
}

/** A body that claims that a task has completed, in the shape of its family. */
export function claimedEnd({ id, family }: Task): object {
	const base = { id, progress: 100 };
	switch (family) {
		case 'image':
			return { ...base, status: 'completed', result: { images: [{ url: [FORGED_LINK], expires_at: 0 }] } };
		case 'music':
			return { ...base, status: 'completed', result: { music: [{ audio_url: FORGED_LINK }] }, error: null };
		case 'grid':
			return { id, status: 'SUCCESS', grid_image_url: FORGED_LINK, image_urls: Array.from({ length: 4 }, () => FORGED_LINK) };
		case 'video':
			return { ...base, status: 'success', result: { video_url: FORGED_LINK } };
	}
}

function mapStrings(value: unknown, change: (name: string, text: string) => string, name = ''): unknown {
	if (typeof value === 'string') return change(name, value);
	if (Array.isArray(value)) return value.map((inner) => mapStrings(inner, change, name));
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mapStrings(inner, change, key)]));
}
