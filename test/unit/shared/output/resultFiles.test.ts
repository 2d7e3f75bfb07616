import fc from 'fast-check';

import { TASK_FAMILIES, type TaskFamily } from '../../../../nodes/shared/api/families';
import { readTaskRecord, type TaskRecord } from '../../../../nodes/shared/api/records';
import {
	textResult,
	sentRequestOf,
	type SentRequest,
	resultFiles,
} from '../../../../nodes/shared/output/resultFiles';
import { toTask } from '../../../../nodes/shared/output/task';
import { isObject } from '../../../../nodes/shared/util/json';
import { FC_SEED } from '../../../support/fastCheck';
import { words } from '../../../support/words';

const NOW = Date.UTC(2026, 0, 1);

function recordOf(raw: Record<string, unknown>): TaskRecord {
	const record = readTaskRecord({ status: 'completed', ...raw });
	if (!record) throw new Error('The record was not read');
	return record;
}

/** Each result as "1 song.mp3 name": its number ("-" where it has none), the end of its link, and its name if it has one. */
function filesOf(family: TaskFamily | null, raw: Record<string, unknown>, request?: SentRequest) {
	return resultFiles(recordOf(raw), family, request).map(({ index, url, name }) =>
		[index ?? '-', url.split('/').pop(), ...(name === null ? [] : [name])].join(' '),
	);
}

const link = (name: string) => `https://files.example.com/${name}`;

const resultsOf = (family: TaskFamily | null, result: unknown) =>
	resultFiles(recordOf({ result }), family);

const kindsOf = (family: TaskFamily | null, result: unknown) =>
	resultsOf(family, result).map(({ kind }) => kind);

const picture = { images: [{ url: [link('1.png')] }] };

describe('Every link of a track comes out', () => {
	test('two stems inside one item of music, under their own names', () => {
		const music = [
			{ vocals_url: link('v.wav'), drum_kit_url: link('d.wav') },
			{ audio_url: link('2.mp3') },
		];
		expect(filesOf('music', { result: { music } })).toEqual([
			'2 2.mp3',
			'1 v.wav vocals',
			'1 d.wav drum_kit',
		]);
	});

	test('the stream and the lyrics of a track do not have its number: the next node would take them for it', () => {
		const [audio_url, stream_audio_url, lyrics_url] = ['1.mp3', '1s.mp3', '1.txt'].map(link);
		const music = [
			{ audio_url, stream_audio_url, lyrics_url },
			{ stream_audio_url: link('2s.mp3') },
		];
		expect(filesOf('music', { result: { music } })).toEqual([
			'1 1.mp3',
			'- 1s.mp3 stream_audio',
			'2 2s.mp3 stream_audio',
			'- 1.txt lyrics',
		]);
	});

	const [drums, bass] = [link('d.wav'), link('b.wav')];
	const named = [
		{ name: ' drum_kit ', url: [drums] },
		{ name: 'bass', url: bass },
	];

	const byField = { stems: { drum_kit: { url: drums }, bass: { href: bass } } };

	test.each<[string, Record<string, unknown>]>([
		['a field around the link', { output: byField }],
		['a field around a list', { stems: { drum_kit: { url: [drums] }, bass: { links: [bass] } } }],
		['a name beside the link, without its blanks,', { stems: named }],
	])('%s names the stem', (_, result) => {
		expect(filesOf('music', { result })).toEqual(['1 d.wav drum_kit', '2 b.wav bass']);
	});

	test('the field of a list names none of its links', () => {
		const songs = [{ url: link('1.mp3') }, { name: ' ', url: link('2.mp3') }];
		expect(filesOf('music', { result: { songs } })).toEqual(['1 1.mp3', '2 2.mp3']);
	});
});

describe("The request's own pictures are not results", () => {
	const own = { image_urls: [link('reference.png')], mask_url: link('mask.png') };
	const raw = { ...own, result: picture };

	test('where the request is known', () => {
		const request = sentRequestOf({ prompt: 'x', ...own });
		const echoed = { ...raw, result: { ...raw.result, source: link('reference.png') } };
		expect(filesOf('image', echoed, request)).toEqual(['1 1.png']);
	});

	const CALLBACK = words(
		'webhook webhook_url callback callback_url notify_hook callbackUrl notifyHook',
	);

	test.each(CALLBACK)('the callback address, as %s', (field) => {
		const hook = { [field]: 'https://n8n.example.com/hook' };
		expect(filesOf('image', { ...hook, result: picture })).toEqual(['1 1.png']);
		expect(filesOf('image', { properties: hook, result: hook })).toEqual([]);
	});

	test('a field of the request that the spec does not know is left out too, where the request is known', () => {
		const request = sentRequestOf({ style_reference: { url: link('style.png') } });
		expect([...request.fields]).toEqual(['style_reference']);
		const copied = { style_reference: link('style-copy.png'), result: picture };
		expect(filesOf('image', copied, request)).toEqual(['1 1.png']);
	});
});

describe('What a task was made from, stored again under another link, comes after what it made', () => {
	const request = sentRequestOf({ video_list: [{ video_url: link('sent.mp4') }] });
	const [before, after] = [link('before.mp4'), link('after.mp4')];

	test.each<[string, object, string]>([
		['beside it', { original_video_url: before, video_url: after }, 'original_video'],
		['in an entry', { videos: [{ source_url: before, url: [after] }] }, 'source'],
		['in objects', { source_video: { url: before }, video: { url: after } }, 'source_video'],
		['under two names', { original: before, extended: after }, 'original'],
	])('%s', (_, result, name) => {
		const [made, ...others] = filesOf('video', { result }, request);
		expect(made).toMatch(/^1 after\.mp4/);
		expect(others).toEqual([`2 before.mp4 ${name}`]);
	});

	test('a preview comes after the picture, wherever it stands', () => {
		const result = { preview_url: link('small.png'), image_url: link('full.png') };
		expect(filesOf('image', { result })).toEqual(['1 full.png', '2 small.png preview']);
	});

	test('where the request is not known, after one whose field says nothing else', () => {
		const result = { original_video_url: before, video_url: after };
		expect(filesOf('video', { result })).toEqual(['1 after.mp4', '2 before.mp4 original_video']);
	});

	test.each<[string, SentRequest | undefined]>([
		['where the request has no link', sentRequestOf({ prompt: 'x' })],
		['where the request is not known', undefined],
		['beside a preview', request],
	])('not so %s: then the original is the better of two', (_, sent) => {
		const result = { original_url: link('full.png'), preview_url: link('small.png') };
		const made = filesOf('image', { result }, sent);
		expect(made).toEqual(['1 full.png original', '2 small.png preview']);
	});
});

test("a grid beside a picture: the place of the task's own family comes first, and its references are no results", () => {
	const raw = {
		grid_image_url: link('grid.png'),
		image_urls: [link('reference.png')],
		result: { images: [{ url: [link('1.png')] }] },
	};
	for (const request of [undefined, sentRequestOf({ prompt: 'A harbor' })])
		expect(filesOf('image', raw, request)).toEqual(['1 1.png', '2 grid.png grid_image']);
});

describe('The pictures of a grid keep their numbers', () => {
	const four = [1, 2, 3, 4].map((number) => link(`${number}.png`));
	const grid = { grid_image_url: link('grid.png'), image_urls: four };
	const expected = ['- grid.png grid', '1 1.png', '2 2.png', '3 3.png', '4 4.png'];

	test.each<[string, TaskFamily | null, Record<string, unknown>]>([
		['action: null', 'grid', { action: null, ...grid }],
		['buttons as text', 'grid', { buttons: ['U1', 'V1'], ...grid }],
		['in result', 'grid', { result: grid }],
		['a callback that does not tell the family', null, grid],
	])('%s', (_, family, raw) => {
		expect(filesOf(family, raw)).toEqual(expected);
	});

	test.each<TaskFamily>(['image', 'music', 'video'])('of a custom request of %s', (family) => {
		expect(filesOf(family, { action: 'IMAGINE', ...grid })).toEqual(expected);
	});

	test.each<[string, unknown]>([
		['objects', four.map((url) => ({ url }))],
		['objects with lists', four.map((url) => ({ url: [url] }))],
		['lists', four.map((url) => [url])],
		['JSON in a text', JSON.stringify(four)],
		['a map by their numbers', Object.fromEntries(four.map((url, at) => [at + 1, url]))],
		['a mixture', four.map((url, at) => [url, { url }, [url], url][at])],
	])('given as %s', (_, image_urls) => {
		expect(filesOf('grid', { ...grid, image_urls })).toEqual(expected);
	});

	test('a grid whose second picture is missing', () => {
		const image_urls = [four[0], null, four[2], four[3]];
		const raw = { ...grid, action: 'REROLL', image_urls };
		expect(filesOf(null, raw)).toEqual(expected.filter((file) => file !== '2 2.png'));
	});
});

test('an image without a link keeps its number', () => {
	const images = [{ url: [] }, { url: [link('2.png')] }, {}, { url: link('4.png') }];
	expect(filesOf('image', { result: { images } })).toEqual(['2 2.png', '4 4.png']);
});

test("the family's own place comes first", () => {
	const result = { images: [{ url: [link('cover.png')] }], music: [{ audio_url: link('1.mp3') }] };
	expect(filesOf('music', { result })).toEqual(['1 1.mp3', '1 cover.png']);
	expect(filesOf('image', { result })).toEqual(['1 cover.png', '1 1.mp3']);
});

test('links that are listed twice come out once', () => {
	const raw = {
		result: { images: [{ url: [link('1.png')] }], url: link('1.png') },
		output: [link('1.png')],
	};
	expect(filesOf('image', raw)).toEqual(['1 1.png']);
});

test.each([1_767_225_600, '2026-01-01T00:00:00Z'])('a link expires at %p', (expires_at) => {
	const [file] = resultsOf('image', { images: [{ url: [link('1.png')], expires_at }] });
	expect(file?.expiresAt).toBe('2026-01-01T00:00:00.000Z');
});

const NO_DATES = [null, 'soon', '', 0, -1, 1e308, {}, []];

test.each(NO_DATES)('an expiry of %j is no date, and the link comes out', (expires_at) => {
	const [file] = resultsOf('image', { images: [{ url: [link('1.png')], expires_at }] });
	expect(file).toMatchObject({ url: link('1.png'), expiresAt: null });
});

test('a video lives for 24 hours from its completion, in whatever unit that is given', () => {
	for (const completed of [NOW / 1_000, NOW, NOW * 1_000, '2026-01-01T00:00:00Z']) {
		const record = recordOf({ completed, result: { video_url: link('a.mp4') } });
		const [file] = resultFiles(record, 'video');
		expect(file?.expiresAt).toBe('2026-01-02T00:00:00.000Z');
	}
});

test('a video without the time of its completion has no known end', () => {
	const [file] = resultFiles(recordOf({ result: { video_url: link('a.mp4') } }), 'video');
	expect(file?.expiresAt).toBeNull();
});

test('a picture or a song outside of the documented place has no end of its own', () => {
	for (const family of ['image', 'grid', 'music', null] as const) {
		const record = recordOf({ result: { url: link('1') }, output: link('2') });
		const files = resultFiles(record, family);
		expect(files.map(({ expiresAt }) => expiresAt)).toStrictEqual([null, null]);
	}
});

describe('The video is the first file', () => {
	const subtitled = { subtitle_url: link('s.srt'), video_url: link('v.mp4') };
	const framed = { last_frame_url: link('frame'), video_url: link('clip') };
	const covered = { cover_image_url: link('cover'), image_to_video_url: link('clip') };

	test.each<[string, Record<string, unknown>, unknown]>([
		['before its subtitles', subtitled, ['v.mp4', 's.srt']],
		['before its last frame', framed, ['clip', 'frame']],
		['where its field names what it was made of', covered, ['clip', 'cover']],
	])('%s', (_, result, names) => {
		const [first, ...more] = resultsOf('video', result);
		expect([first, ...more].map((file) => file?.url.split('/').pop())).toEqual(names);
		expect(first?.kind).toBe('video');
	});

	test('and has no name of what stands around its link alone', () => {
		for (const result of [
			{ content: { video_url: link('v.mp4') } },
			{ response: { video: { url: link('v.mp4') }, cover_url: link('c.png') } },
			{ output_video_url: link('v.mp4') },
		])
			expect(resultsOf('video', result)[0]).toMatchObject({ url: link('v.mp4'), name: null });
	});

	test('also in a field that a request can have, where there is only a cover beside it', () => {
		const raw = { metadata: { url: link('v.mp4') }, thumbnail_url: link('c.png') };
		const request = { fields: new Set<string>(), urls: new Set<string>() };
		expect(filesOf('video', raw, request)).toEqual(['1 v.mp4', '2 c.png thumbnail']);
	});
});

test.each<[string, string, string, (TaskFamily | null)?]>([
	['.mp3', 'audio', 'result'],
	['.webp?x=1', 'image', 'result'],
	['.mp4#t', 'video', 'result'],
	['', 'audio', 'audio_url'],
	['.mp4', 'audio', 'audio_url'],
	['.webm', 'audio', 'audio'],
	['.gif', 'video', 'video_url'],
	['.webp', 'video', 'videos'],
	['.png', 'image', 'video_poster'],
	['.png', 'image', 'audio_waveform_url'],
	['.mp4?frame=1', 'image', 'cover_url'],
	['', 'image', 'cover'],
	['', 'video', 'video_url'],
	['', 'audio', 'audio_file', 'image'],
	['', 'image', 'picture', 'music'],
	['', 'image', 'cover_art', 'music'],
	['', 'image', 'thumbnail', 'music'],
	['', 'image', 'first_image', 'music'],
	['', 'video', 'music_video', 'music'],
])('a link that ends in "%s" is %s in the field %s', (ending, kind, field, family = null) => {
	expect(kindsOf(family, { [field]: link(`a${ending}`) })).toEqual([kind]);
});

test.each<[string, string[]]>([
	['audio', ['mp3', 'wav', 'm4a', 'flac', 'ogg', 'aac']],
	['image', ['png', 'jpg', 'jpeg', 'webp', 'gif', 'avif']],
	['video', ['mp4', 'mov', 'webm', 'm4v']],
])('a link is %s by its ending %j, whatever its field and its family', (kind, endings) => {
	const other: TaskFamily = kind === 'image' ? 'music' : 'image';
	const url = endings.map((ending) => link(`a.${ending.toUpperCase()}?x=1`));
	expect(kindsOf(other, { url })).toEqual(endings.map(() => kind));
});

test.each<[string, TaskFamily | null]>([
	['audio', 'music'],
	['image', 'image'],
	['image', 'grid'],
	['video', 'video'],
	['image', null],
])('a link that tells nothing is %s in the family %s', (kind, family) => {
	for (const name of ['a', 'a.mp3.bin', 'a.png_small', 'a.mp4x'])
		expect(kindsOf(family, { url: link(name) })).toEqual([kind]);
});

test('the documented places tell the kind, whatever the family', () => {
	const raw = {
		grid_image_url: link('g'),
		image_urls: [link('1')],
		result: { images: [{ url: link('i') }], music: [{ audio_url: link('m') }] },
	};
	expect(resultFiles(recordOf(raw), null).map(({ kind, url }) => [kind, url])).toEqual([
		['image', link('g')],
		['image', link('1')],
		['image', link('i')],
		['audio', link('m')],
	]);
	expect(kindsOf('video', { music: [{ audio_url: link('m') }] })).toEqual(['audio']);
	expect(kindsOf('music', { images: [{ url: link('i') }] })).toEqual(['image']);
	const [grid] = resultFiles(recordOf({ grid_image_url: link('g') }), 'music');
	expect(grid?.kind).toBe('image');
});

test('a link of a grid expires when the record around it says', () => {
	const expires_at = '2026-01-01T00:00:00Z';
	const result = { image_urls: [link('1.png')], expires_at };
	const files = resultFiles(recordOf({ grid_image_url: link('g.png'), result }), 'grid');
	expect(files.map((file) => file.expiresAt)).toStrictEqual([null, '2026-01-01T00:00:00.000Z']);
});

const LINKS = ['http://files.example.com/1.png', 'HTTPS://files.example.com/1.png'];

test.each(LINKS)('%s is a link', (url) => {
	expect(resultsOf('image', { url }).map((file) => file.url)).toStrictEqual([url]);
});

const TEXTS = ['see https://files.example.com/1.png', 'ftp://files.example.com/1.png', 'https://'];

test.each([...TEXTS, '1.png'])('%j is text', (url) => {
	expect(resultsOf('image', { url })).toEqual([]);
});

/** Fields that tell what a link is, and not what it is called. */
const NAMELESS = words(`
	url urls uri link links src href file files output outputs result results data audio audios image images picture
	pictures video videos track tracks clip clips media download Video_URL
`);
const DRUMS = words('drums_url drums_urls drums_link drums_links drums_uri drumsUrl');

test.each<[string, string | null]>([
	...DRUMS.map((field): [string, string] => [field, 'drums']),
	['url_drums', 'url_drums'],
	...NAMELESS.map((field): [string, null] => [field, null]),
])('the field %s names its link %p', (field, name) => {
	const files = resultsOf('music', { [field]: link('a.mp3') });
	expect(files.map((file) => file.name)).toStrictEqual([name]);
});

test.each([
	['image_urls', [link('r.png')]],
	['mask_url', link('r.png')],
	['image_with_roles', [{ url: link('r.png') }]],
	['video_list', [{ url: link('r.mp4') }]],
	['element_list', [{ frontal: link('r.png') }]],
	['multi_prompt', [{ image: link('r.png') }]],
	['metadata', { source: link('r.png') }],
	['prompt', link('r.png')],
	['request', { image: link('r.png') }],
	['input', { image: link('r.png') }],
	['params', { image: link('r.png') }],
	['parameters', { image: link('r.png') }],
])('what stands in %s is not a result, where the request is not known', (field, value) => {
	const raw = { [field]: value, result: { url: link('1.mp4') } };
	for (const family of ['video', null] as const) expect(filesOf(family, raw)).toEqual(['1 1.mp4']);
});

const ACTIONS = words('IMAGINE VARIATION LOW_VARIATION REROLL UPSCALE PAN pan');

test.each(ACTIONS)('the action %s tells a grid', (action) => {
	expect(filesOf(null, { action, image_urls: [link('1.png'), link('2.png')] })).toEqual([
		'1 1.png',
		'2 2.png',
	]);
});

test.each([undefined, 'GENERATE', 7])('the action %p does not', (action) => {
	expect(filesOf(null, { action, image_urls: [link('1.png')] })).toEqual([]);
});

test('what is no list of results where one should be holds none', () => {
	const result = { images: [null, 'text', 7], music: [null, 'text', { audio_url: 7 }] };
	expect(filesOf('image', { result })).toEqual([]);
	expect(
		filesOf('grid', { grid_image_url: null, image_urls: null, result: { image_urls: 'text' } }),
	).toEqual([]);
	expect(filesOf('image', { result: { images: null, music: undefined } })).toEqual([]);
	expect(filesOf('image', { result: 'text' })).toEqual([]);
});

test('the links of a request are collected at any depth, with the fields that hold them', () => {
	const body = {
		prompt: 'x',
		seed: 7,
		nothing: null,
		image_urls: ['http://files.example.com/1.png', link('2.png')],
		video_list: [{ url: link('3.mp4'), refer: { to: link('4.png') } }],
		empty: [],
	};
	const { fields, urls } = sentRequestOf(body);
	expect([...fields]).toEqual(['image_urls', 'video_list']);
	const others = ['2.png', '3.mp4', '4.png'].map(link);
	expect([...urls]).toEqual(['http://files.example.com/1.png', ...others]);
});

describe('A link is read in any notation', () => {
	const BASE = 'https://api.example.com/v9';
	const longest = 'a'.repeat(8_191);

	const urlsOf = (family: TaskFamily | null, raw: Record<string, unknown>) =>
		resultFiles(recordOf(raw), family, undefined, BASE).map(({ url }) => url);

	test.each<[string, string, string]>([
		['from the root', '/files/1.png', 'https://api.example.com/files/1.png'],
		['without an extension', '/files/1', 'https://api.example.com/files/1'],
		['relative', 'files/1.png', 'https://api.example.com/v9/files/1.png'],
		['from where it stands', './1.png', 'https://api.example.com/v9/1.png'],
		['a step up', '../files/1', 'https://api.example.com/files/1'],
		['a name alone', '1.png', 'https://api.example.com/v9/1.png'],
		['a name with blanks around it', ' 1.png ', 'https://api.example.com/v9/1.png'],
		['a name with a query', '1.png?of=1.x', 'https://api.example.com/v9/1.png?of=1.x'],
		['a name with a fragment', ' 1.png#of=1.x', 'https://api.example.com/v9/1.png#of=1.x'],
		['a host of the same network', 'localhost:8787/1', 'https://localhost:8787/1'],
		['a host of numbers', '203.0.113.10/1', 'https://203.0.113.10/1'],
		['a host with capitals', 'CDN-1.example.com:8443/1', 'https://cdn-1.example.com:8443/1'],
		['as long as a link can be', `/${longest}`, `https://api.example.com/${longest}`],
		['without a scheme', 'cdn.example.com/a/1.png?x=1', 'https://cdn.example.com/a/1.png?x=1'],
		['without a scheme, with blanks around it', ' cdn.example.com/1 ', 'https://cdn.example.com/1'],
		['without a scheme, by slashes', '//cdn.example.com/1', 'https://cdn.example.com/1'],
		['with blanks in it', link('my picture.png'), link('my%20picture.png')],
		['with blanks around it', ` ${link('1.png')}\n`, link('1.png')],
	])('%s', (_, written, url) => {
		expect(urlsOf('image', { result: { images: [{ url: [written] }] } })).toEqual([url]);
		expect(urlsOf('image', { result: { image_url: written } })).toEqual([url]);
		expect(urlsOf('image', { result: { urls: [written] } })).toEqual([url]);
		expect(urlsOf('image', { result: { File: written } })).toEqual([url]);
		expect(urlsOf('music', { result: { music: [{ audio_url: written }] } })).toEqual([url]);
		expect(urlsOf('grid', { grid_image_url: written })).toEqual([url]);
	});

	test('without a base URL a relative one leads nowhere', () => {
		const urls = [
			'/files/1.png',
			'cdn.example.com/2.png',
			'files//3.png',
			'//cdn.example.com/4.png',
		];
		const images = [...urls, link('my 5.png'), 'HTTP://files.example.com/my 6.png'];
		expect(filesOf('image', { result: { images: images.map((url) => ({ url })) } })).toEqual([
			'2 2.png',
			'4 4.png',
			'5 my%205.png',
			'6 my%206.png',
		]);
	});

	test('one that no program could follow is no result', () => {
		expect(urlsOf('image', { result: { images: [{ url: 'https://[x/my 1.png' }] } })).toEqual([]);
	});

	test.each([
		['prompt', 'a and/or b.png'],
		['description', 'see cdn.example.com/1.png'],
		['filename', '1.png'],
		['local_path', '/data/1.png'],
		['model', 'v1.2'],
		['url', 'see https://files.example.com/1.png'],
		['url', 'pending'],
		['url', 'pending/'],
		['url', 'x.y/1'],
		['url', 'a localhost/1'],
		['url', 'a /1'],
		['url', '.../1'],
		['url', '/'],
		['url', '/ 1'],
		['url', 'file:1.png'],
		['url', 'xhttp://files.example.com/1.png'],
		['url', 'http:// '],
		['url', `/${'a'.repeat(8_192)}`],
		['ratio', '16/9'],
		['version', 'vendor.com/model'],
	])('%s: %j is text', (field, value) => {
		expect(urlsOf('image', { result: { [field]: value } })).toEqual([]);
	});

	const LIKE_TEXT = words('pathway named titled prompted texture tagsoup idol');

	test.each(LIKE_TEXT)('the field %s only begins like one of a text', (field) => {
		const urls = urlsOf('image', { result: { [field]: '/f/1.png' } });
		expect(urls).toEqual(['https://api.example.com/f/1.png']);
	});

	test('as JSON in a text', () => {
		const songs = [link('1.mp3'), link('2.mp3')];
		const music = JSON.stringify(songs.map((audio_url) => ({ audio_url })));
		expect(urlsOf('image', { result: JSON.stringify(picture) })).toEqual([link('1.png')]);
		expect(urlsOf('music', { result: { music } })).toEqual(songs);
		for (const files of [JSON.stringify([link('1.png')]), ` \n["${link('1.png')}"]`])
			for (const result of [files, { files }])
				expect(urlsOf('image', { result })).toEqual([link('1.png')]);
	});

	test.each(['x ["https://files.example.com/1.png"]', '{"url": https://files.example.com/1.png}'])(
		'%s is text, and no JSON',
		(url) => {
			expect(urlsOf('image', { result: { url } })).toEqual([]);
		},
	);
});

describe('A file that stands in the record itself', () => {
	const urlsOf = (result: unknown) => resultsOf('image', result).map(({ url }) => url);

	const png = 'iVBORw0KGgoAAAANSUhEUg==';
	const data = `data:image/png;base64,${png}`;

	test('as a data URL', () => {
		const text = 'data:image/svg+xml,%3Csvg/%3E';
		expect(urlsOf({ images: [{ url: data }, { url: text }] })).toEqual([data, text]);
		expect(urlsOf({ hash: data })).toEqual([data]);
	});

	test.each([
		`see ${data}`,
		'data:text/plain;base64,AAAA',
		'data:image/png',
		'data:image/png;base64',
		'data:imagepng,AAAA',
	])('%s is text', (url) => {
		expect(urlsOf({ url, data: url })).toEqual([]);
	});

	test.each([
		['audio', 'data:audio/mpeg;base64,AAAA'],
		['image', 'DATA:IMAGE/PNG;base64,AAAA'],
		['video', 'data:video/mp4;base64,AAAA'],
	] as const)('its type tells the kind: %s, whatever its field and its family', (kind, url) => {
		expect(kindsOf('music', { image: url })).toEqual([kind]);
		expect(kindsOf('image', { audio: url })).toEqual([kind]);
		expect(kindsOf('image', { video_url: url })).toEqual([kind]);
	});

	const WITH_BASE64 = words(
		'data content bytes b64 b64_json base64 image_base64 imageBase64 pngB64',
	);

	test.each(WITH_BASE64)('as base64 in the field %s', (field) => {
		expect(urlsOf({ [field]: png })).toEqual([data]);
	});

	const WITHOUT_BASE64 = words('hash database contents content_id data_id metadata image');

	test.each(WITHOUT_BASE64)('no base64 is looked for in the field %s', (field) => {
		expect(urlsOf({ [field]: png, mime_type: 'image/png' })).toEqual([]);
	});

	test.each([
		['image/png', 'iVBORw0KGgoA'],
		['image/jpeg', '/9j/4AAQSkZJRgAB'],
		['image/gif', 'R0lGODlhAQABAIAA'],
		['audio/mpeg', 'SUQzBAAAAAAAI1RT'],
	])('%s by its first bytes', (type, beginning) => {
		const content = beginning.padEnd(16, 'A');
		expect(urlsOf({ data: content })).toEqual([`data:${type};base64,${content}`]);
		expect(urlsOf({ data: content.slice(0, 15) })).toEqual([]);
	});

	const WITH_TYPE = words('mime_type mimeType content_type contentType media_type type');

	test.each(WITH_TYPE)('its type stands in %s', (field) => {
		const content = 'AAAAIGZ0eXBpc29t';
		const made = [`data:video/mp4;base64,${content}`];
		expect(urlsOf({ content, [field]: 'video/mp4' })).toEqual(made);
		expect(urlsOf({ content, type: 'mp4', [field]: 'VIDEO/mp4' })).toEqual([
			made[0]?.replace('video', 'VIDEO'),
		]);
	});

	const NO_TYPES = [7, 'text/plain', 'xvideo/mp4', 'video/', 'video/m p4', 'mp4', null];

	test.each(NO_TYPES)('a type of %j tells nothing', (type) => {
		expect(urlsOf({ content: 'AAAAIGZ0eXBpc29t', type })).toEqual([]);
		expect(urlsOf({ content: png, type })).toEqual([data]);
	});

	test('what holds other characters is text; line breaks and the other alphabet are base64', () => {
		const type = 'video/mp4';
		for (const text of ['A text: of many words', '!AAAAAAAAAAAAAAAA', 'AAAAAAAAAAAAAAAA!'])
			expect(urlsOf({ content: text, type })).toEqual([]);
		for (const text of ['AAAAIGZ0eXBp\nc29t', 'AAAA-_Z0eXBpc29t=', '+/AAIGZ0eXBpc29t'])
			expect(urlsOf({ content: text, type })).toEqual([`data:video/mp4;base64,${text}`]);
	});
});

test.each<[unknown, boolean]>([
	['slow, jazz', true],
	[{ tags: 'slow, jazz' }, true],
	[{ tags: 'slow', bpm: 90 }, true],
	['{"tags":"slow"}', true],
	[' ', false],
	['', false],
	[undefined, false],
	[7, false],
	[['slow'], false],
	[{}, false],
	[{ tags: '' }, false],
	[{ tags: ' ' }, false],
	[{ tags: 'slow', images: [] }, false],
	[{ images: [], tags: 'slow' }, false],
	[{ tags: null }, false],
	[{ duration: 8 }, false],
])('An answer in words is no file: %j: %p', (result, isText) => {
	expect(textResult({ result }) !== undefined).toBe(isText);
});

describe('The address of an API is no result', () => {
	const NAMES = words(`
		get cancel self next stream status poll polling query response detail details web page share doc docs dashboard
		console api endpoint upload_endpoint task_api Status
	`);

	test.each(NAMES)('%s', (name) => {
		for (const field of [name, `${name}_url`, `${name}_link`]) {
			const raw = {
				[field]: link('other'),
				result: { image_url: link('1.png'), [field]: link('x') },
			};
			expect(filesOf('image', raw)).toEqual(['1 1.png']);
		}
	});

	const OTHERS = words(`
		widget_url page_1_url status_picture_url picture_before_callback webp shared therapist endpoints apis
	`);

	test.each(OTHERS)('%s is a result', (field) => {
		expect(filesOf('image', { result: { [field]: link('1.png') } })).toHaveLength(1);
	});
});

test("the family's own kind comes first, and is numbered first: a video before its cover", () => {
	const video = { cover_url: link('c.png'), video_url: link('v.mp4') };
	for (const family of ['video', null] as const)
		expect(filesOf(family, { result: video })).toEqual(['1 v.mp4', '2 c.png cover']);
	const image = { preview: link('p.mp4'), picture: link('p.png') };
	expect(filesOf('image', { result: image })).toEqual(['1 p.png', '2 p.mp4 preview']);
});

describe('What stands beside a link comes out with it', () => {
	test('of a stem, whose type is its name', () => {
		const stems = [
			{ stem_type: 'lead_vocal', audio_url: link('v.wav') },
			{ stem_type: 'drums', audio_url: link('d.wav'), duration: 91.5 },
		];
		const stem = (index: number, url: string, type: string) => ({
			...{ index, kind: 'audio', url: link(url), name: type, expiresAt: null, stemType: type },
		});
		for (const result of [{ stems }, { music: stems }, stems]) {
			expect(resultsOf('music', result)).toEqual([
				stem(1, 'v.wav', 'lead_vocal'),
				{ ...stem(2, 'd.wav', 'drums'), duration: 91.5 },
			]);
		}
	});

	test('of a track, with its cover', () => {
		const told = { id: 'clip_1', title: 'Waves', duration: 120 };
		const links = { audio_url: link('1.mp3'), image_url: link('1.png') };
		const others = { kind: 'x', index: 9, lyrics: 'la '.repeat(1_000), tags: null };
		const track = { ...told, ...links, ...others };
		const beside = { ...told, expiresAt: null };
		expect(resultFiles(recordOf({ result: { music: [track] } }), 'music')).toEqual([
			{ index: 1, kind: 'audio', url: link('1.mp3'), name: null, ...beside },
			{ index: 1, kind: 'image', url: link('1.png'), name: null, ...beside },
		]);
	});

	const labelsOf = (holder: Record<string, unknown>) => {
		const [file] = resultsOf('image', { images: [{ ...holder, url: link('1.png') }] });
		const own = words('index kind url name expiresAt');
		return Object.fromEntries(Object.entries(file ?? {}).filter(([field]) => !own.includes(field)));
	};

	test('texts of up to 500 characters, numbers and whether something is so', () => {
		const told = { title: 'a'.repeat(500), seed: 0, has_text: true, is_safe: false };
		const untold = { empty: '', blank: ' ', text: 'a'.repeat(501), list: ['a'], nothing: null };
		expect(labelsOf({ ...told, ...untold })).toEqual({
			...{ title: told.title, seed: 0, hasText: true, isSafe: false },
		});
	});

	test('no address, and nothing in the place of what a file has already', () => {
		const addresses = { site_url: 'none', preview_link: 'x', thumb: link('thumb.png') };
		const own = { file_name: 'a.png', mimeType: 'image/png', fileSize: 7, kind: 'x', index: 9 };
		const dated = { expires_at: '2026-01-01', expiresAt: 'soon' };
		expect(labelsOf({ ...addresses, ...own, ...dated, title: 'T' })).toEqual({ title: 'T' });
	});

	test('at most twenty of them', () => {
		const many = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`n${at}`, at]));
		expect(Object.keys(labelsOf({ index: 1, ...many }))).toEqual(Object.keys(many).slice(0, 20));
	});
});

test('pictures that the service stored again for a request come out only where there is nothing else', () => {
	const raw = { image_urls: [link('stored-again.png')], result: picture };
	const request = sentRequestOf({ image_with_roles: [{ url: link('reference.png') }] });
	expect(filesOf('image', raw, request)).toEqual(['1 1.png']);
	const video = { ...raw, result: { video_url: link('1.mp4') } };
	expect(filesOf('video', video, request)).toEqual(['1 1.mp4']);
	const stored = { ...raw, result: { cover_url: link('c.png') }, video_list: [link('again.mp4')] };
	expect(filesOf('video', stored, request)).toEqual(['1 again.mp4', '2 c.png cover']);
	const alone = filesOf('image', { image_urls: [link('1.png')] }, sentRequestOf({ prompt: 'x' }));
	expect(alone).toEqual(['1 1.png']);
});

test('the links of a request may be those of pictures that were uploaded', () => {
	const upload = Symbol('a picture');
	const { fields, urls } = sentRequestOf({ image_urls: [upload, link('2.png')] }, (value) =>
		value === upload ? link('1.png') : undefined,
	);
	expect([[...fields], [...urls]]).toEqual([['image_urls'], [link('1.png'), link('2.png')]]);
});

// One pass over all of them for each would pass the time limit of a test, and a call with all of them as arguments the stack.
test('a record of 150,000 links is read', () => {
	const music = Array.from({ length: 150_000 }, (_, at) => ({
		title: `T${at}`,
		files: [{ url: link(`${at}.mp3`) }],
	}));
	expect(resultFiles(recordOf({ result: { tracks: music } }), 'music')).toHaveLength(150_000);
});

/** One record in one of the shapes that a service might choose, and what must come out of it. */
interface Sample {
	family: TaskFamily;
	raw: Record<string, unknown>;
	made: Array<readonly [url: string, index: number | null]>;
	requestBody: Record<string, unknown>;
	requestKnown: boolean;
}

const RUNS = Number(process.env.RECORD_RUNS ?? 4_000);

const ENDING: Record<TaskFamily, string> = {
	music: 'mp3',
	image: 'png',
	grid: 'png',
	video: 'mp4',
};

let counter = 0;

const newLink = (ending: string) => link(`made-${counter++}.${ending}`);

const many = <Value>(count: number, make: (at: number) => Value) =>
	Array.from({ length: count }, (_, at) => make(at));

type Made = Pick<Sample, 'raw' | 'made'>;

const numbered = (urls: readonly string[]) => urls.map((url, at) => [url, at + 1] as const);

/** As many links as asked for, in the place that `place` gives them. */
const linksAt =
	(ending: string, place: (urls: string[]) => Record<string, unknown>) =>
	(count: number): Made => {
		const urls = many(count, () => newLink(ending));
		return { raw: place(urls), made: numbered(urls) };
	};

/** Places of links that any family may use. A grid numbers the links of its own place only. */
const OPEN_PLACES: Record<string, (urls: string[]) => Record<string, unknown>> = {
	listInResult: (urls) => ({ result: urls }),
	urls: (urls) => ({ result: { urls } }),
	dataObjects: (urls) => ({ result: { data: urls.map((url) => ({ url, expires_at: null })) } }),
	nested: (urls) => ({ result: { output: { files: urls.map((href) => ({ href })) } } }),
	besideEmptyLists: (urls) => ({
		result: { images: [], music: [], videos: urls.map((url) => ({ url: [url] })) },
	}),
	inRecord: (urls) => ({ result: null, output: urls }),
	inRecordObjects: (urls) => ({ videos: urls.map((video_url) => ({ video_url })) }),
};

const gridAt =
	(place: (grid: Record<string, unknown>) => Record<string, unknown>) =>
	(count: number): Made => {
		const [grid = '', ...four] = many(Math.min(5, count + 1), () => newLink('png'));
		const raw = place({ grid_image_url: grid, image_urls: four });
		return { raw, made: [[grid, null], ...numbered(four)] };
	};

const DOCUMENTED: Record<TaskFamily, Record<string, (count: number) => Made>> = {
	image: {
		lists: linksAt('png', (urls) => ({ result: { images: [{ url: urls }] } })),
		texts: linksAt('png', (urls) => ({ result: { images: urls.map((url) => ({ url })) } })),
	},
	music: {
		gaps: (count) => {
			const urls = many(count, (at) => (at % 2 === 0 ? newLink('mp3') : null));
			const made = urls.flatMap((url, at) => (url === null ? [] : [[url, at + 1] as const]));
			const music = urls.map((audio_url) => ({ audio_url, title: 'T' }));
			return { raw: { result: { music } }, made };
		},
		stemsInTracks: (count) => {
			const music = many(count, () => ({
				audio_url: newLink('mp3'),
				vocals_url: newLink('mp3'),
				drums: newLink('mp3'),
			}));
			const made = music.flatMap((track, at) =>
				Object.values(track).map((url) => [url, at + 1] as const),
			);
			return { raw: { result: { music } }, made };
		},
		stems: linksAt('wav', (urls) => {
			const stems = Object.fromEntries(urls.map((url, at) => [`stem_${at}`, url]));
			return { result: { music: [], stems } };
		}),
	},
	grid: { top: gridAt((grid) => grid), inResult: gridAt((result) => ({ result })) },
	video: {
		lists: linksAt('mp4', (urls) => ({
			result: { videos: urls.map((url) => ({ url: [url], expires_at: 1_767_225_600 })) },
		})),
		single: () => linksAt('mp4', ([video_url]) => ({ result: { video_url } }))(1),
	},
};

const oddValue = fc.constantFrom<unknown>(
	...[null, false, true, '', '0.12', 7, -1, 1e308, 'text', '2026-01-01T00:00:00Z'],
	...[[], {}, [null], { message: null }],
);

const NOISE = words(`
	id cost credits_cost created completed usage error progress estimated_time action buttons fail_reason
	results family operation taskId url notes reference __proto__ prompt model expires_at record task a___b
`);

const noise = fc.dictionary(fc.constantFrom(...NOISE), oddValue, { maxKeys: 8 });

const REQUEST_PLACES = words('image_urls mask_url video_list metadata input image_with_roles');

const sample: fc.Arbitrary<Sample> = fc
	.record({
		family: fc.constantFrom(...TASK_FAMILIES),
		shape: fc.nat(),
		count: fc.integer({ min: 0, max: 5 }),
		noise,
		sent: fc.constantFrom(...REQUEST_PLACES),
		sentCount: fc.integer({ min: 0, max: 3 }),
		requestKnown: fc.boolean(),
		echoInResult: fc.boolean(),
	})
	.map(({ family, shape, count, noise: odd, sent, sentCount, requestKnown, echoInResult }) => {
		const documented = Object.values(DOCUMENTED[family]);
		const open = Object.values(OPEN_PLACES).map((place) => (length: number): Made => {
			const { raw, made } = linksAt(ENDING[family], place)(length);
			return { raw, made: family === 'grid' ? made.map(([url]) => [url, null] as const) : made };
		});
		const shapes = [...documented, ...open];
		const nothing = (): Made => ({ raw: {}, made: [] });
		const { raw, made } = (shapes[shape % shapes.length] ?? nothing)(count);
		// A grid's own result stands in `image_urls`.
		const field = family === 'grid' && sent === 'image_urls' ? 'mask_url' : sent;
		const links = many(field === 'mask_url' ? 1 : sentCount, (at) => link(`sent-${at}.png`));
		const listed = field === 'image_urls' ? links : links.map((url) => ({ url }));
		const requestBody = { prompt: 'x', [field]: field === 'mask_url' ? links[0] : listed };
		const own = raw.result;
		const result =
			requestKnown && echoInResult && isObject(own) ? { result: { reference: links, ...own } } : {};
		return {
			family,
			raw: { ...odd, ...requestBody, ...raw, ...result, status: 'completed' },
			made,
			requestBody,
			requestKnown,
		};
	});

const envelope = fc.constantFrom<(raw: unknown) => unknown>(
	(raw) => raw,
	(data) => ({ code: 200, data }),
	(data) => ({ code: 200, data: [data] }),
	(raw) => ({ data: null, ...(raw as object) }),
);

test(`${RUNS} records: every link that the service made comes out once with its number, none of the request's does, nothing throws`, () => {
	const seed = Number(process.env.RECORD_SEED ?? FC_SEED);
	if (process.env.RECORD_RUNS !== undefined) console.log(`${RUNS} records, seed ${seed}`);
	fc.assert(
		fc.property(sample, envelope, ({ family, raw, made, requestBody, requestKnown }, wrap) => {
			const record = readTaskRecord(wrap(raw));
			if (!record) throw new Error('The record was not read');
			const request = requestKnown ? sentRequestOf(requestBody) : undefined;
			const origin = { taskId: 'task_1', family, operation: 'generate', request };
			const task = toTask(record, origin, {});
			const found = task.results.map(({ url, index }) => `${index} ${url}`).sort();
			const expected = made.map(([url, index]) => `${index} ${url}`).sort();
			if (found.join() !== expected.join())
				throw new Error(
					`Found ${JSON.stringify(found)} of ${JSON.stringify(made)} in ${JSON.stringify(raw)}`,
				);
			const own = [task.taskId, task.family, task.status, task.serviceStatus, task.url];
			const kept = ['task_1', family, 'completed', 'completed', task.results[0]?.url ?? null];
			if (own.join() !== kept.join()) throw new Error(`Replaced: ${own.join()}`);
			if (task.error !== undefined || 'reference' in task || 'notes' in task)
				throw new Error('A completed task has a field of its own replaced');
		}),
		{ numRuns: RUNS, seed },
	);
});

test('links of a request that have blanks, or hold the picture, are no results', () => {
	const own = {
		image_url: 'https://files.example.com/my photo.png ',
		mask: 'data:image/png;base64,iVBORw0KGgoAAA',
	};
	const request = sentRequestOf(own);
	expect([...request.fields]).toEqual(['image_url', 'mask']);
	const echoed = { request: own, result: { ...own, images: [{ url: [link('1.png')] }] } };
	expect(filesOf('image', echoed, request)).toEqual(['1 1.png']);
});
