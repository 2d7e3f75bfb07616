import type { RequestBody } from '../shared/tasks/prepare';
import { z } from '../shared/util/vendor/zod';
import { elementMentions, imageReferences } from './references';

const spoken = z.object({
	prompt: z.string().default(''),
	multi_prompt: z.array(z.object({ prompt: z.string() })).default([]),
	image_urls: z.array(z.unknown()).default([]),
	image_with_roles: z.array(z.unknown()).default([]),
	element_list: z.array(z.object({ name: z.string() })).default([]),
	video_list: z.array(z.object({ refer_type: z.string().optional() })).default([]),
	duration: z.number().optional(),
});

/** What the service changes in a generation without a word (spec §6, rules 2 and 6), and elements that nobody mentions. */
export function generateNotes(body: RequestBody): string[] {
	const { prompt, multi_prompt, image_urls, image_with_roles, element_list, video_list, duration } =
		spoken.parse(body);
	const text = [prompt, ...multi_prompt.map((shot) => shot.prompt)].join('\n');
	const names = element_list.map(({ name }) => name);
	const { known } = elementMentions(text, names);
	const hasImages = image_urls.length + image_with_roles.length > 0;
	const edits = video_list.some(({ refer_type = 'base' }) => refer_type === 'base');
	return [
		...(hasImages && imageReferences(text).length === 0
			? ['The prompt refers to no image: the service puts <<<image_1>>> in front of it']
			: []),
		...(edits && duration !== undefined ? ['An edited video keeps its own length, whatever "Duration" says'] : []),
		...names.filter((name) => !known.includes(name)).map((name) => `No prompt mentions the element @${name}`),
	];
}
