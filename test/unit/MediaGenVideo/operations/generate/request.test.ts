import { elementMentions } from '../../../../../nodes/MediaGenVideo/operations/generate/notes';
import { videoRequest } from '../../../../../nodes/MediaGenVideo/operations/generate/request';
import { checkOriginal } from '../../../../../nodes/MediaGenVideo/operations/remix';
import { readTaskRecord } from '../../../../../nodes/shared/api/records';

const url = 'https://example.com/picture.png';
const model = 'vidomni-v3-omni';

function refused(given: Record<string, unknown>): string[] {
	const read = videoRequest.safeParse({ model, ...given });
	return (read.error?.issues ?? []).map(({ path, message }) => `${String(path[0])} ${message}`);
}

const several = { multi_shot: true, shot_type: 'customize' };
const seven = Array(7).fill({ prompt: 'a', duration: 1 });

const pictured = { name: 'e', description: 'd', element_input_urls: Array(5).fill(url) };

test('mentions: names with spaces, the longest name first, addresses left alone', () => {
	const mentions = (prompt: string, ...names: string[]) => {
		const { known, unknown } = elementMentions(prompt, names);
		return [known, unknown];
	};
	expect(mentions('@Red Fox runs', 'Red', 'Red Fox')).toEqual([['Red Fox'], []]);
	expect(mentions('@cat and @caterpillar', 'cat')).toEqual([['cat'], ['caterpillar']]);
	expect(mentions('write to info@example.com, @ noon')).toEqual([[], []]);
	expect(mentions('@Jürgen, please', 'Jürgen')).toEqual([['Jürgen'], []]);
});

test('a negative prompt has at most 2500 characters', () => {
	// Two units of a string each.
	expect(refused({ prompt: 'a', negative_prompt: '😀'.repeat(2_500) })).toEqual([]);
	expect(refused({ prompt: 'a', negative_prompt: '😀'.repeat(2_501) })).toEqual([
		'negative_prompt must have at most 2500 characters',
	]);
});

const video = (refer_type?: string) => [
	{ video_url: 'https://example.com/clip.mp4', ...(refer_type ? { refer_type } : {}) },
];
const roles = (...list: string[]) => list.map((role) => ({ url, role }));
const withRoles = (...list: string[]) => ({ image_with_roles: roles(...list) });
const editing = (refer_type?: string) => ({ video_list: video(refer_type) });

test.each<[string, Record<string, unknown>, string | undefined]>([
	['rule 1', { image_urls: [url], ...withRoles('reference') }, 'must not be set together'],
	['rule 3, kept', withRoles('last_frame', 'first_frame'), undefined],
	['rule 4, by default', { ...editing(), ...withRoles('first_frame') }, 'no first or last frame'],
	['rule 4, kept', { ...editing('base'), ...withRoles('reference') }, undefined],
	['rule 5', { ...editing('base'), audio: true }, 'must be off with a given video'],
	['rule 6, kept', { ...editing('feature'), image_urls: [url] }, undefined],
	['two videos', { video_list: [...video(), ...video()] }, 'at most 1 video'],
	['too long', { duration: 16 }, 'from 3 to 15'],
])('%s', (_, given, message) => {
	const messages = refused({ prompt: 'a', ...given });
	if (message === undefined) expect(messages).toEqual([]);
	else expect(messages.join()).toContain(message);
});

test.each<[string, Record<string, unknown>]>([
	['a length', { duration: 30 }],
	['a long negative prompt', { negative_prompt: 'x'.repeat(3_000) }],
	['two videos', { video_list: [...video(), ...video()] }],
	['seven shots without a duration', { ...several, multi_prompt: seven }],
	['shots without a type', { multi_shot: true }],
	['a last frame alone', withRoles('last_frame')],
	['two pictures beside a feature video', { ...editing('feature'), image_urls: [url, url] }],
	['sound beside a video', { ...editing(), audio: true }],
	['an element with five pictures', { element_list: [pictured] }],
])('a model that is not known may take more: %s', (_, given) => {
	expect(refused({ prompt: 'a', ...given })).not.toEqual([]);
	expect(refused({ prompt: 'a', ...given, model: 'vidomni-v4' })).toEqual([]);
});

const recordOf = (record: Record<string, unknown>) =>
	readTaskRecord({ status: 'success', result: {}, ...record });

test.each([null, 3])('an extension by the model %j of an additional field is sent', (given) => {
	const record = recordOf({ model: 'vidgen3.1-fast' });
	expect(checkOriginal({ task_id: 't', model: given }, record, {})).toEqual({});
});

test('an original in a state that is not known is left to the service', () => {
	const running = recordOf({ status: 'a new word', model: 'm' });
	expect(checkOriginal({ task_id: 't', model: 'm' }, running, {})).toEqual({});
});
