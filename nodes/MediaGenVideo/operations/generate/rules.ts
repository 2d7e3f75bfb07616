import * as spec from '../../../shared/api/video';
import { type KnownValues, unlistedNotes } from '../../../shared/n8n/parameters';
import type { RequestBody } from '../../../shared/tasks/prepare';
import { refuseIn } from '../../../shared/util/schema';
import { z } from '../../../shared/util/vendor/zod';

/** A generation whose fields are valid, each by itself. */
export interface VideoFields extends RequestBody {
	model: string;
	duration?: number;
	image_urls?: unknown[];
	image_with_roles?: Array<{ role: string }>;
	video_list?: Array<{ refer_type?: string }>;
	audio?: boolean;
	multi_shot?: boolean;
	shot_type?: string;
	multi_prompt?: Array<{ prompt: string; duration: number }>;
}

type Refuse = ReturnType<typeof refuseIn>;

/** Rules 1, 3, 4, 5 and 6 of spec §6: which pictures go together, and what goes with a video. */
function checkMedia(body: VideoFields, refuse: Refuse): void {
	const { image_urls: urls, image_with_roles: images, video_list: videos } = body;
	const roles = images?.map(({ role }) => role) ?? [];
	const hasFrames = roles.includes('first_frame') || roles.includes('last_frame');
	const referType = videos?.[0] && (videos[0].refer_type ?? 'base');
	if (urls && images) refuse('image_with_roles', 'must not be set together with "Image URLs"');
	if (roles.includes('last_frame') && !roles.includes('first_frame')) {
		refuse('image_with_roles', 'must have a first frame where it has a last frame');
	}
	if (referType === 'base' && hasFrames)
		refuse('image_input', 'must have no first or last frame with a video that is edited');
	if (referType === 'feature' && urls && urls.length > 1) {
		refuse('image_urls', 'must hold one picture at most, the first frame, with a feature video');
	}
	if (videos && body.audio === true)
		refuse('audio', 'must be off with a given video: the service makes no sound for it');
}

/** Rule 7 of spec §6, and what several shots need. */
function checkShots(
	{ multi_shot, shot_type, multi_prompt: shots, duration }: VideoFields,
	refuse: Refuse,
): void {
	if (multi_shot !== true) return;
	if (shot_type === undefined) refuse('shot_type', 'is required where there are several shots');
	if (shot_type !== 'customize') return;
	if (shots === undefined) {
		refuse('multi_prompt', 'is required: give each shot its prompt and its duration');
		return;
	}
	const whole = duration ?? spec.VIDEO_DURATION.default;
	const sum = shots.reduce((total, shot) => total + shot.duration, 0);
	if (sum === whole) return;
	const unset = duration === undefined ? ', which "Duration" is unless it is set' : '';
	refuse(
		'multi_prompt',
		`must last as long as the video: ${whole} seconds${unset}; the shots add up to ${sum}`,
	);
}

/** A request that shows nothing at all would buy a video of the service's own choice. */
function checkContent(body: VideoFields, refuse: Refuse): void {
	const contents = ['prompt', 'multi_prompt', 'image_urls', 'image_with_roles', 'video_list'];
	if (contents.some((name) => body[name] !== undefined)) return;
	refuse('prompt', 'is required, unless there are shots, images or a video');
}

/** The rules of spec §6 that involve more than one field. Another model may have others, but it needs some content, too. */
export function checkVideoRules(body: VideoFields, issues: z.RefinementCtx): void {
	const refuse = refuseIn(issues);
	checkContent(body, refuse);
	if (body.model !== spec.GENERATION_MODEL) return;
	checkMedia(body, refuse);
	checkShots(body, refuse);
}

const IMAGE_REFERENCE = /<<<image_(\d+)>>>/g;

// After a letter or a digit the sign is part of an address, such as info@example.com.
const MENTION = /(?<![\p{L}\p{N}._+-])@(?=[\p{L}\p{N}_])/gu;

const WORD = /^[\p{L}\p{N}_-]+/u;

/** The numbers in the references `<<<image_N>>>` of a prompt, in order (spec §6, prompt). */
export function imageReferences(prompt: string): number[] {
	return [...prompt.matchAll(IMAGE_REFERENCE)].map(([, number]) => Number(number));
}

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

const KNOWN_VALUES: KnownValues = [
	['resolution', 'mode', spec.VIDEO_MODES],
	['aspect ratio', 'aspect_ratio', spec.VIDEO_ASPECT_RATIOS],
	['shot type', 'shot_type', spec.SHOT_TYPES],
	['role', 'role', spec.IMAGE_ROLES],
	['use of a video', 'refer_type', spec.REFER_TYPES],
	['choice for the original sound', 'keep_original_sound', spec.KEEP_ORIGINAL_SOUND],
];

function referenceNotes(text: string, images: number): string[] {
	const numbers = imageReferences(text);
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
		return unlistedNotes(body, [['model', 'model', spec.VIDEO_MODEL_NAMES]]);
	const { prompt, multi_prompt, image_urls, image_with_roles, element_list, video_list } =
		sent.parse(body);
	const text = [prompt, ...multi_prompt.map((shot) => shot.prompt)].join('\n');
	const edits = video_list.some(({ refer_type = 'base' }) => refer_type === 'base');
	const holders = [body, ...image_with_roles, ...video_list];
	return [
		...new Set(holders.flatMap((holder) => unlistedNotes(holder, KNOWN_VALUES))),
		...referenceNotes(text, image_urls.length + image_with_roles.length),
		...elementNotes(
			text,
			element_list.map(({ name }) => name),
		),
		...(edits && body.duration !== undefined
			? ['An edited video keeps its own length, whatever "Duration (Seconds)" says']
			: []),
		...(video_list.length > 0 && body.audio !== undefined
			? ['The service ignores "Audio" with a given video']
			: []),
	];
}
