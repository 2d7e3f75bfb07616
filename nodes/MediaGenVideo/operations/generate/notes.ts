import * as spec from '../../../shared/api/video';
import { unlistedNotes } from '../../../shared/n8n/parameters';
import type { RequestBody } from '../../../shared/tasks/prepare';
import { said } from '../../../shared/util/json';
import { z } from '../../../shared/util/vendor/zod';

const IMAGE_REFERENCE = /<<<image_(\d+)>>>/g;

// After a letter or a digit the sign is part of an address, such as info@example.com.
const MENTION = /(?<![\p{L}\p{N}._+-])@(?=[\p{L}\p{N}_])/gu;

const WORD = /^[\p{L}\p{N}_-]+/u;

function startsWithName(text: string, name: string): boolean {
	return text.startsWith(name) && !/^[\p{L}\p{N}_]/u.test(text.slice(name.length));
}

/** The mentions `@name` in a prompt: those of elements, and the words that are the name of no element (spec §6, rule 8). */
export function elementMentions(
	prompt: string,
	elements: readonly string[],
): { known: string[]; unknown: string[] } {
	const byLength = [...elements].sort((a, b) => b.length - a.length);
	const known: string[] = [];
	const unknown: string[] = [];
	for (const { index } of prompt.matchAll(MENTION)) {
		const after = prompt.slice(index + 1);
		const name = byLength.find((candidate) => startsWithName(after, candidate));
		if (name === undefined) unknown.push(WORD.exec(after)?.[0] ?? '');
		else known.push(name);
	}
	return { known, unknown };
}

// Additional body fields replace validated ones, so their types are not certain here.
const sent = z.object({
	prompt: z.string().catch(''),
	multi_prompt: z.array(z.object({ prompt: z.string() })).catch([]),
	image_urls: z.array(z.unknown()).catch([]),
	image_with_roles: z.array(z.record(z.unknown())).catch([]),
	element_list: z.array(z.object({ name: z.string() })).catch([]),
	video_list: z.array(z.object({ refer_type: z.string().optional() }).passthrough()).catch([]),
});

const KNOWN_VALUES = {
	mode: spec.VIDEO_MODES,
	aspect_ratio: spec.VIDEO_ASPECT_RATIOS,
	shot_type: spec.SHOT_TYPES,
	role: spec.IMAGE_ROLES,
	refer_type: spec.REFER_TYPES,
	keep_original_sound: spec.KEEP_ORIGINAL_SOUND,
};

const WORDS = {
	mode: 'resolution',
	refer_type: 'use of a video',
	keep_original_sound: 'choice for the original sound',
};

/** What the references `<<<image_N>>>` say of the images (spec §6, prompt and rule 2). */
function referenceNotes(text: string, images: number): string[] {
	const numbers = [...text.matchAll(IMAGE_REFERENCE)].map(([, number]) => Number(number));
	if (images > 0 && numbers.length === 0)
		return ['The prompt refers to no image: the service puts <<<image_1>>> in front of it'];
	const missing = [...new Set(numbers.filter((number) => number < 1 || number > images))];
	return missing.map(
		(number) =>
			`The prompt refers to <<<image_${number}>>>, and ${images === 1 ? '1 image is' : `${images} images are`} given`,
	);
}

function elementNotes(text: string, names: readonly string[]): string[] {
	const { known, unknown } = elementMentions(text, names);
	return [
		...[...new Set(unknown)].map(
			(word) => `The prompt mentions @${word}, and no element has this name`,
		),
		...names
			.filter((name) => !known.includes(name))
			.map((name) => `No prompt mentions the element @${name}`),
	];
}

/** What the service changes or ignores in a generation (spec §6, rules 2, 5 and 6). */
export function videoNotes(body: RequestBody): string[] {
	if (body.model !== spec.GENERATION_MODEL)
		return unlistedNotes(body, { model: spec.VIDEO_MODEL_NAMES });
	const { prompt, multi_prompt, image_urls, image_with_roles, element_list, video_list } =
		sent.parse(body);
	const text = [prompt, ...multi_prompt.map((shot) => shot.prompt)].join('\n');
	const edits = video_list.some(({ refer_type = 'base' }) => refer_type === 'base');
	const holders = [body, ...image_with_roles, ...video_list];
	return said(
		[...new Set(holders.flatMap((holder) => unlistedNotes(holder, KNOWN_VALUES, WORDS)))],
		referenceNotes(text, image_urls.length + image_with_roles.length),
		elementNotes(
			text,
			element_list.map(({ name }) => name),
		),
		edits &&
			body.duration !== undefined &&
			'An edited video keeps its own length, whatever "Duration (Seconds)" says',
		video_list.length > 0 &&
			body.audio !== undefined &&
			'The service ignores "Audio" with a given video',
	);
}
