import type { ILoadOptionsFunctions, INodeProperties } from 'n8n-workflow';

import { MediaGenVideo } from '../../../nodes/MediaGenVideo/MediaGenVideo.node';
import { ok } from '../support/engine';
import {
	extra,
	isShown,
	labelsShown,
	needed,
	type Row,
	testFields,
	top,
} from '../support/fieldTable';
import { newNodeRunner, PARENT } from '../support/operations';
import { bodiesSent, expectRefused, fileItem, picture, useSandbox } from '../support/sandbox';
import { goOn } from '../support/settings';

const service = useSandbox();
const node = new MediaGenVideo();

type Given = Record<string, unknown>;

const run = newNodeRunner(service, node, 'video');

const sent = () => bodiesSent(service);

const front = 'https://example.com/front.png';
const side = 'https://example.com/side.png';
const clip = 'https://example.com/clip.mp4';
const prompt = { prompt: 'a pier' };

const images = (...image: Given[]) => ({
	...prompt,
	imageInput: 'roles',
	imageWithRoles: { image },
});
const byUrl = { ...prompt, imageInput: 'references', referenceSource: 'url' };
const references = (...imageUrls: string[]) => ({ ...byUrl, imageUrls });
const firstFrame = { firstFrameSource: 'url', firstFrameUrl: front };
const lastFrame = { lastFrameSource: 'url', lastFrameUrl: side };
const frames = { ...prompt, imageInput: 'firstAndLastFrame', ...firstFrame, ...lastFrame };
const oneShot = { ...prompt, multiShot: true, shotType: 'customize' };
const shots = (...shot: Given[]) => ({ ...oneShot, multiPrompt: { shot } });
const elements = (...element: Given[]) => ({
	prompt: 'a pier with @sailor',
	additionalFields: { elementList: { element } },
});
const sailor = { name: 'sailor', description: 'red beard', elementInputUrls: [front, side] };
/** What a Video node gives as `results`. */
const withCover = `={{ [{ kind: 'video', url: '${clip}' }, { kind: 'image', url: '${front}' }, { kind: 'audio', url: '${clip}.mp3' }] }}`;

const edit = { ...prompt, referType: 'base', videoUrl: clip };

const sentImages = [{ url: front, role: 'first_frame' }];
const sentShots = [
	{ index: 1, prompt: 'out', duration: 2 },
	{ index: 2, prompt: 'back', duration: 3 },
];
const twoShots = shots({ prompt: 'out', duration: 2 }, { prompt: 'back', duration: '={{ "3" }}' });
const asSent = { name: 'sailor', description: 'red beard' };
const sentSailor = [{ ...asSent, element_input_urls: [front, side] }];
const sentVideo = [{ video_url: clip, refer_type: 'base' }];

const intelligent = { ...prompt, multiShot: true, shotType: 'intelligence' };
const reference = { url: front, role: 'reference' };

function nested(field: string, set: Given, api: string, value: unknown): Row {
	return { field, set, unset: prompt, api, sent: value, literal: api === 'video_list' };
}

const withImages = (field: string, set: Given, value: unknown[]) =>
	nested(field, set, 'image_with_roles', value);
const withVideo = (field: string, more: Given, sentMore: Given) =>
	nested(field, { ...edit, ...more }, 'video_list', [{ ...sentVideo[0], ...sentMore }]);
const withElement = (field: string) =>
	nested(
		`additionalFields.elementList.element.${field}`,
		elements(sailor),
		'element_list',
		sentSailor,
	);

const generateRows: Row[] = [
	needed('model', 'vidomni-v3-omni', 'model', 'vidomni-v3-omni', prompt),
	{ ...top('prompt', 'a pier', 'prompt'), unset: { ...references(front), prompt: '' } },
	nested('imageUrls', references(front, side), 'image_urls', [front, side]),
	withImages('firstFrameUrl', { ...prompt, imageInput: 'firstFrame', ...firstFrame }, sentImages),
	withImages('lastFrameUrl', frames, [...sentImages, { url: side, role: 'last_frame' }]),
	withImages('imageWithRoles.image.url', images({ url: front, role: 'first_frame' }), sentImages),
	withImages('imageWithRoles.image.role', images({ url: front }), sentImages),
	withImages('imageWithRoles.image.role', { ...edit, ...images(reference) }, [reference]),
	withVideo('referType', {}, {}),
	withVideo('videoUrl', { referType: 'feature' }, { refer_type: 'feature' }),
	withVideo('videoUrl', { videoUrl: `${clip};\n` }, {}),
	withVideo('videoUrl', { videoUrl: withCover }, {}),
	withVideo(
		'additionalFields.keepOriginalSound',
		{ additionalFields: { keepOriginalSound: 'yes' } },
		{ keep_original_sound: 'yes' },
	),
	nested('multiShot', intelligent, 'multi_shot', true),
	nested('shotType', intelligent, 'shot_type', 'intelligence'),
	nested('multiPrompt.shot.prompt', twoShots, 'multi_prompt', sentShots),
	nested('multiPrompt.shot.duration', { ...twoShots, duration: 5 }, 'multi_prompt', sentShots),
	...['name', 'description', 'elementInputUrls'].map(withElement),
	top('duration', 7, 'duration', 7, prompt),
	top('aspectRatio', '1:1', 'aspect_ratio', '1:1', prompt),
	extra('negativePrompt', 'blur', 'negative_prompt', 'blur', prompt),
	extra('mode', 'pro', 'mode', 'pro', prompt),
	extra('watermark', false, 'watermark', false, prompt),
	extra('audio', true, 'audio', true, prompt),
];

/** Choices of the panel, and pictures of the workflow's own: tested by themselves below. */
const PANEL_ONLY = [
	...['imageInput', 'firstFrameSource', 'lastFrameSource', 'referenceSource'],
	...['firstFrameBinaryProperty', 'lastFrameBinaryProperty', 'imageBinaryProperties'],
	...[
		'imageWithRoles.image.binaryProperty',
		'additionalFields.elementList.element.binaryProperties',
	],
];

/** Fields by spec §5 and §6; an extension's task stands in its path. */
const FIELDS = {
	'video.generate': {
		spec: [
			...['model', 'prompt', 'negative_prompt', 'mode', 'duration', 'aspect_ratio', 'image_urls'],
			...['image_with_roles', 'video_list', 'multi_shot', 'shot_type', 'multi_prompt'],
			...['element_list', 'watermark', 'audio'],
		],
		rows: generateRows,
		others: PANEL_ONLY,
	},
	'video.remix': {
		spec: ['model', 'prompt', 'raw', 'aspect_ratio', 'resolution'],
		rows: [
			needed('model', 'vidgen3.1-fast', 'model'),
			needed('model', 'vidgen3.1-fast-ext', 'model'),
			top('prompt', 'the fog lifts', 'prompt'),
			extra('raw', true, 'raw'),
			extra('aspectRatio', '9:16', 'aspect_ratio'),
			extra('resolution', '1080p', 'resolution'),
		],
		others: ['taskId'],
	},
};

testFields(service, FIELDS, (name) =>
	name === 'video.remix' ? { [PARENT]: service.sandbox.originals.video().id } : {},
);

test.each<[Given, string, boolean]>([
	[{}, 'firstFrameSource', false],
	[{}, 'imageUrls', false],
	[{ imageInput: 'firstFrame' }, 'firstFrameBinaryProperty', true],
	[{ imageInput: 'firstFrame' }, 'firstFrameUrl', false],
	[{ imageInput: 'firstFrame' }, 'lastFrameSource', false],
	[{ imageInput: 'firstAndLastFrame' }, 'lastFrameBinaryProperty', true],
	[{ imageInput: 'references' }, 'imageUrls', false],
	[{ imageInput: 'references' }, 'imageBinaryProperties', true],
	[{ imageInput: 'references', referenceSource: 'both' }, 'imageBinaryProperties', true],
	[{ imageInput: 'references' }, 'imageWithRoles', false],
	[{ imageInput: 'roles' }, 'imageUrls', false],
	[{}, 'videoUrl', false],
	[{}, 'additionalFields.keepOriginalSound', false],
	[{ referType: 'feature' }, 'additionalFields.keepOriginalSound', true],
	[{ referType: 'base' }, 'additionalFields.audio', true],
	[{ referType: 'feature' }, 'additionalFields.audio', true],
	[{}, 'shotType', false],
	[{ multiShot: true }, 'multiPrompt', true],
	[{ multiShot: true, shotType: 'intelligence' }, 'multiPrompt', false],
	[{ shotType: 'customize' }, 'multiPrompt', false],
])('with %j the field %s is shown: %s', (given, field, shown) => {
	expect(isShown(node, { resource: 'video', operation: 'generate', ...given }, field)).toBe(shown);
});

test('beside an edited video only the role "reference" is offered', () => {
	const group = node.description.properties.find(({ name }) => name === 'imageWithRoles')
		?.options?.[0];
	const roles = (group && 'values' in group ? group.values : []).filter(
		({ name }) => name === 'role',
	);
	const values = roles.map(({ options = [] }) =>
		options.map((option) => 'value' in option && option.value),
	);
	expect(values).toEqual([['first_frame', 'last_frame', 'reference'], ['reference']]);
	expect(roles.map(({ displayOptions }) => displayOptions)).toStrictEqual([
		{ hide: { '/referType': ['base'] } },
		{ show: { '/referType': ['base'] } },
	]);
});

const feature = { ...edit, referType: 'feature' };
const none = '={{ $json.none }}';
const noPrompt = '"Prompt" is required';
const noImages = '"Image URLs" is required';
const noName = '"Input Data Field Name" is required';
const noFrames = '"Images" must have no first or last frame';
const seconds = '"Duration (Seconds)" must be a whole number from 3 to 15';
const atLeastOne = '"Shots › 1 › Duration (Seconds)" must be a whole number of at least 1';
const isUrl = 'must be a full http or https URL';
const noLink = '={{ [{ url: "https://example.com/front.png" }, { url: [] }] }}';
const more = (additionalFields: Given) => ({ additionalFields });
const sailorWith = (given: Given) => elements({ ...sailor, ...given });
const seen = (...elementInputUrls: string[]) => sailorWith({ elementInputUrls });
const byId = (value: string) => ({ __rl: true, mode: 'id', value });
const byField = (imageBinaryProperties: string) => ({
	referenceSource: 'both',
	imageBinaryProperties,
});
const isEmpty = 'is required: its expression is empty';
const fieldIsEmpty = `"Input Data Field Name" ${isEmpty}`;
const ofItem = { ...prompt, imageInput: 'references' };
const frameOfItem = { ...prompt, imageInput: 'firstFrame' };
const frameField = '"First Frame Input Data Field Name"';
const noFrameOfItem = `${frameField}: the input item has no binary data in the field "data"`;
const asFrame = (role: string) => images({ url: front, role });
const twoPictures = images({ role: 'reference', url: front, binaryProperty: 'data' });
const onePicture = '"Image URLs" must hold one picture at most';
const oneOfTwo = '"URL" must not be set together with "Input Data Field Name"';
const oneOfImages = '"Images" must be one of none, firstFrame';
const noUrlOfRole = '"Images With Roles › 1 › URL" is required';
const noThirdUrl = '"Elements › 1 › Image URLs › 3" is required';
const noFirstUrl = { ...frames, firstFrameUrl: '' };
const noAddress = { ...frames, lastFrameUrl: 'side.png' };
const unnamedFrame = { ...frameOfItem, firstFrameBinaryProperty: '' };
const untyped = { ...prompt, multiShot: true, shotType: '={{ "" }}' };
const sevenShots = shots(...Array<Given>(7).fill({ prompt: 'out', duration: 1 }));
const tooShort = '"Shots" must last as long as the video: 9 seconds; the shots add up to 5';
const fourElements = elements(sailor, ...['a', 'b', 'c'].map((name) => ({ ...sailor, name })));
const fivePictures = seen(...Array<string>(5).fill(front));
const unnamedFile = sailorWith({ binaryProperties: none });
const undescribed = sailorWith({ description: '' });

test.each<[string, Given, string]>([
	['nothing filled in', {}, `${noPrompt}, unless there are shots, images or a video`],
	['nothing but a setting', { duration: 7, ...elements(sailor), prompt: none }, noPrompt],
	['nothing filled in for a new model', { model: byId('vidomni-v4') }, noPrompt],
	['a second reference that is empty', references(front, none), '"Image URLs › 2" is required'],
	['a reference without a link', { ...byUrl, imageUrls: noLink }, '"Image URLs › 2" is required'],
	['URLs and a field name that is empty', { ...references(front), ...byField(none) }, fieldIsEmpty],
	['a picture of an element that is empty', seen(front, side, none), noThirdUrl],
	['a field name of an element that is empty', unnamedFile, fieldIsEmpty],
	['two seconds', { ...prompt, duration: 2 }, seconds],
	['half a second more', { ...prompt, duration: 5.5 }, seconds],
	['a picture that has no address', references('picture.png'), `"Image URLs › 1" ${isUrl}`],
	['a last frame alone', asFrame('last_frame'), '"Images With Roles" must have a first frame'],
	['a frame of an edited video', { ...edit, ...asFrame('first_frame') }, noFrames],
	[
		'a picture in place of the video',
		{ ...edit, videoUrl: `={{ ({ kind: 'image', url: '${clip}' }) }}` },
		'"Video URL" must give the kind video, and gives a result of the kind image',
	],
	['a video and words', { ...edit, videoUrl: `${clip}\nfoo` }, 'must be one video, and it gives 2'],
	['two videos', { ...edit, videoUrl: `${clip}, ${clip};` }, 'must be one video, and it gives 2'],
	['a video without an address', { ...feature, videoUrl: '={{ "" }}' }, '"Video URL" is required'],
	['two pictures beside a feature video', { ...feature, ...references(front, side) }, onePicture],
	['a frame of an edited video, chosen by itself', { ...edit, ...frames }, noFrames],
	['a first frame without its URL', noFirstUrl, '"First Frame URL" is required'],
	['a last frame that has no address', noAddress, `"Last Frame URL" ${isUrl}`],
	['a first frame without the name of its field', unnamedFrame, `${frameField} is required`],
	['a first frame that is not in its field', frameOfItem, noFrameOfItem],
	['references without a URL', references(), noImages],
	['references without the name of a field', { ...ofItem, imageBinaryProperties: '' }, noName],
	['references without either', { ...references(), ...byField('') }, noImages],
	['no image with a role', { ...prompt, imageInput: 'roles' }, '"Images With Roles" is required'],
	['a role without an image', images({ role: 'reference' }), noUrlOfRole],
	['a role with two images', twoPictures, oneOfTwo],
	['an unknown choice of images', { ...prompt, imageInput: '={{ "all" }}' }, oneOfImages],
	['a choice of images that gives nothing', { ...prompt, imageInput: none }, `"Images" ${isEmpty}`],
	['a choice of the video that gives nothing', { ...edit, referType: none }, `"Video" ${isEmpty}`],
	[
		'an element whose expressions are all empty',
		elements({ name: none, description: none, elementInputUrls: none }, sailor),
		'"Elements" must have no entry whose expressions are all empty',
	],
	[
		'a picture with a role whose expressions are all empty',
		images({ role: 'first_frame', url: front }, { role: none, url: none }),
		'"Images With Roles" must have no entry whose expressions are all empty',
	],
	[
		'a shot whose expressions are all empty',
		shots({ prompt: 'out', duration: 5 }, { prompt: none, duration: none }),
		'"Shots" must have no entry whose expressions are all empty',
	],
	['shots without a type', untyped, '"Shot Type" is required'],
	['no shots', { ...prompt, multiShot: true }, '"Shots" is required'],
	['seven shots', sevenShots, '"Shots" must have at most 6 shots'],
	['half a second of a shot', shots({ prompt: 'out', duration: 0.5 }), atLeastOne],
	['shots shorter than the video', { ...twoShots, duration: 9 }, tooShort],
	[
		'shots longer than a video whose length is not set',
		shots({ prompt: 'out', duration: 4 }, { prompt: 'back', duration: 4 }),
		'5 seconds, which "Duration" is unless it is set; the shots add up to 8',
	],
	['a shot that shows nothing', shots({ duration: 5 }), '"Shots › 1 › Prompt" is required'],
	[
		'five shots whose durations nobody filled in',
		shots(...['out', 'along', 'about', 'back', 'in'].map((shown) => ({ prompt: shown }))),
		'"Shots › 1 › Duration (Seconds)" is required',
	],
	['four elements', fourElements, '"Elements" must have at most 3 elements'],
	['an element with one picture', seen(front), 'must have at least 2 pictures'],
	['an element with five pictures', fivePictures, 'must have at most 4 pictures'],
	['an element without a description', undescribed, '"Elements › 1 › Description" is required'],
])('generate, refused before anything is sent: %s', async (_, given, message) => {
	expectRefused(service, await run('generate', given), message);
});

const tooLarge = { taskId: 't', ...more({ resolution: '={{ "8k" }}' }) };

test.each<[string, Given, string]>([
	['no task to extend', { taskId: '={{ "" }}' }, '"Task ID" is required'],
	['an unknown resolution', tooLarge, '"Resolution" must be one of 720p, 1080p, 4k'],
])('remix, refused before anything is sent: %s', async (_, given, message) => {
	expectRefused(service, await run('remix', given), message);
});

const unlisted = (label: string, value: string) =>
	`The ${label} "${value}" is not in this package's list: it is sent as it is`;

const styled = (url: string, role = 'style') => ({ url, role });
const byStyle = (url: string) => styled(url, '={{ "style" }}');
const inStyle = { ...images(byStyle(front), byStyle(side)), prompt: '<<<image_1>>>' };
const montage = { ...twoShots, shotType: '={{ "montage" }}' };
const sentMontage = { multi_shot: true, shot_type: 'montage', multi_prompt: sentShots };
const inspired = { ...edit, referType: '={{ "inspire" }}' };
const quiet = { ...edit, ...more({ keepOriginalSound: '={{ "quiet" }}' }) };
const videoSent = (given: Given) => ({ video_list: [{ ...sentVideo[0], ...given }] });
const sentQuiet = videoSent({ keep_original_sound: 'quiet' });
const inFourThirds = { ...prompt, aspectRatio: '={{ "4:3" }}' };
const nextModel = { model: byId('vidgen4'), ...more({ resolution: '={{ "8k" }}' }) };

test.each<[string, string, string, Given, Given]>([
	['resolution', '8k', 'generate', { ...prompt, ...more({ mode: '={{ "8k" }}' }) }, { mode: '8k' }],
	['aspect ratio', '4:3', 'generate', inFourThirds, { aspect_ratio: '4:3' }],
	['role', 'style', 'generate', inStyle, { image_with_roles: [styled(front), styled(side)] }],
	['shot type', 'montage', 'generate', montage, sentMontage],
	['use of a video', 'inspire', 'generate', inspired, videoSent({ refer_type: 'inspire' })],
	['choice for the original sound', 'quiet', 'generate', quiet, sentQuiet],
	// Of an unknown model only the service knows which resolutions it has.
	['model', 'vidgen4', 'remix', nextModel, { model: 'vidgen4', resolution: '8k' }],
	['aspect ratio', '1:1', 'remix', more({ aspectRatio: '={{ "1:1" }}' }), { aspect_ratio: '1:1' }],
])('an unknown %s "%s" of %s is sent, and the item says so', async (...row) => {
	const [label, value, operation, given, body] = row;
	const taskId = operation === 'remix' ? service.sandbox.originals.video().id : '';
	const { json } = await run(operation, { taskId, ...given }, undefined, goOn);
	const posted = service.sandbox.requests.list().filter(({ method }) => method === 'POST');
	expect(posted.map((request) => request.body)).toStrictEqual([expect.objectContaining(body)]);
	expect(json[0]?.notes).toEqual(expect.arrayContaining([unlisted(label, value)]));
	expect(String(json[0]?.notes).split('not in this package')).toHaveLength(2);
});

test("pictures of the workflow's own are uploaded first, wherever they stand", async () => {
	const item = await fileItem(await picture(320, 320));
	const uploaded = expect.stringContaining(service.sandbox.url) as string;
	const first = { url: uploaded, role: 'first_frame' };
	const last = { url: uploaded, role: 'last_frame' };
	const both = { lastFrameSource: 'binary', lastFrameBinaryProperty: 'data' };
	const fourPictures = { ...asSent, element_input_urls: [front, side, uploaded, uploaded] };
	const cases: Array<[Given, Given]> = [
		[{ ...references(front), referenceSource: 'both' }, { image_urls: [front, uploaded] }],
		[{ ...prompt, imageInput: 'firstFrame' }, { image_with_roles: [first] }],
		[{ ...prompt, imageInput: 'firstAndLastFrame', ...both }, { image_with_roles: [first, last] }],
		[images({ binaryProperty: 'data' }), { image_with_roles: [first] }],
		[sailorWith({ binaryProperties: 'data, data' }), { element_list: [fourPictures] }],
	];
	for (const [given, body] of cases) {
		service.sandbox.requests.clear();
		ok(await run('generate', given, [item]));
		expect(sent()[0]).toMatchObject(body);
		expect(service.sandbox.requests.list({ path: '/v1/uploads' })).toHaveLength(1);
	}
});

/** What the editor shows of hints, which are HTML. */
const shown = (hints: ReadonlyArray<{ message: string }>) =>
	hints.map(({ message }) => message.replaceAll('&lt;', '<').replaceAll('&gt;', '>'));

test('the editor shows a reference to an image, which is no tag of HTML', async () => {
	const { hints } = await run('generate', { ...references(front), prompt: 'like <<<image_2>>>' });
	expect(hints.map(({ message }) => message).join('\n')).not.toContain('<');
});

test('what the service silently changes is said', async () => {
	const given = { ...edit, ...images(reference), ...elements(sailor), ...prompt, duration: 7 };
	const { hints } = await run('generate', given);
	expect(shown(hints)).toStrictEqual(
		expect.arrayContaining([
			'The prompt refers to no image: the service puts <<<image_1>>> in front of it',
			'An edited video keeps its own length, whatever "Duration (Seconds)" says',
			'No prompt mentions the element @sailor',
		]),
	);
});

const likeSecond = { prompt: 'like <<<image_2>>>, or <<<image_2>>>' };
const likeFirst = { prompt: 'like <<<image_1>>>' };
const likeNone = { ...references(front), prompt: 'like <<<image_0>>>' };
const mute = { ...edit, ...more({ audio: false }) };
const ignoresAudio = 'The service ignores "Audio" with a given video';
const refersTo = (image: number, given: string) =>
	`The prompt refers to <<<image_${image}>>>, and ${given} given`;

test.each<[string, Given, Given, string]>([
	[
		'an image beyond those given',
		{ ...references(front), ...likeSecond },
		{ ...likeSecond, image_urls: [front] },
		refersTo(2, '1 image is'),
	],
	['an image where none is given', likeFirst, likeFirst, refersTo(1, '0 images are')],
	['an image of the number 0', likeNone, { image_urls: [front] }, refersTo(0, '1 image is')],
	[
		'a name that no element has',
		{ ...elements(sailor), prompt: '@sailor and @cook' },
		{ element_list: sentSailor },
		'The prompt mentions @cook, and no element has this name',
	],
	['no sound beside a video', mute, { audio: false, video_list: sentVideo }, ignoresAudio],
])('%s is sent, and the item says so', async (_, given, body, note) => {
	const { json, hints } = ok(await run('generate', given));
	expect(sent()).toMatchObject([body]);
	expect(json[0]?.notes).toEqual([note]);
	expect(shown(hints)).toContain(note);
});

const isOff = '"Multiple Shots" is off';
const oneFrame = { ...frames, imageInput: '={{ "firstFrame" }}', prompt: 'like <<<image_1>>>' };
const noVideo = { ...edit, referType: '={{ "none" }}' };
const noImage = { ...references(front), imageInput: '={{ "none" }}' };
const isOther = '"Images" has another choice';

test.each<[string, Given, string, string]>([
	['shots while there is one shot', { ...twoShots, multiShot: '={{ false }}' }, 'Shots', isOff],
	['shots while a sheet says so', { ...twoShots, multiShot: '={{ "FALSE" }}' }, 'Shots', isOff],
	['a video URL without a video', noVideo, 'Video URL', '"Video" is None'],
	['images without a choice', noImage, 'Image URLs', '"Images" is None'],
	['a last frame beside a first frame only', oneFrame, 'Last Frame URL', isOther],
])('%s: hidden by an expression and not sent, as the item says', async (_, given, label, why) => {
	const { json } = ok(await run('generate', given));
	expect(json[0]?.notes).toEqual([`"${label}" is set and was not sent: ${why}`]);
});

describe('Model', () => {
	const extendable = ['vidgen3.1-fast', 'vidgen3.1-quality'];

	test.each<[string, string, string[]]>([
		['generate', 'searchGenerationModels', ['vidomni-v3-omni', ...extendable]],
		['remix', 'searchRemixModels', extendable],
	])('%s: the list has each model once, under its own name', async (operation, method, models) => {
		const field = node.description.properties.find(
			({ name, displayOptions }) =>
				name === 'model' && displayOptions?.show?.operation?.includes(operation),
		);
		expect(field?.modes?.[0]?.typeOptions?.searchListMethod).toBe(method);
		const search = Object.entries(node.methods.listSearch).find(([name]) => name === method)?.[1];
		const found = await search?.call({} as ILoadOptionsFunctions);
		expect(found?.results.map(({ value }) => value)).toStrictEqual(models);
	});

	test('the list of Generate says which models make clips that Extend continues', async () => {
		const { results } = await node.methods.listSearch.searchGenerationModels.call(
			{} as ILoadOptionsFunctions,
		);
		const offered = results
			.filter(({ name }) => name.endsWith('(Can Be Extended)'))
			.map(({ value }) => value);
		expect(offered).toEqual(extendable);
		const field = node.description.properties.find(
			({ name, displayOptions }) =>
				name === 'model' && displayOptions?.show?.operation?.includes('generate'),
		);
		expect(field?.description).toContain('Extend');
	});

	test.each(extendable)('a clip by %s has no note, and can be extended', async (model) => {
		const wait = { waitMode: 'poll', downloadFiles: false };
		const made = ok(await run('generate', { ...prompt, model: byId(model), ...wait }));
		expect(made.json[0]).not.toHaveProperty('notes');
		ok(await run('remix', { model: byId(model) }, made.items));
	});

	test.each<[string, Given]>([
		['that nobody touched', {}],
		['picked from the list', { model: { __rl: true, mode: 'list', value: 'vidomni-v3-omni' } }],
		['that was typed', { model: byId('vidomni-v3-omni') }],
		['as plain text, as the API of n8n saves it', { model: 'vidomni-v3-omni' }],
		['by an expression', { model: '={{ "vidomni-v3-omni" }}' }],
	])('a model %s is sent without a note, and with the prompt alone', async (_, given) => {
		const { json } = ok(await run('generate', { ...prompt, ...given }));
		expect(sent()).toEqual([{ model: 'vidomni-v3-omni', prompt: 'a pier' }]);
		expect(json[0]).not.toHaveProperty('notes');
	});

	test('a new model is sent as it is, with what it may have beyond the known one, and the item says so', async () => {
		const additionalFields = { mode: '={{ "8k" }}' };
		const open = { additionalFields, aspectRatio: '={{ "21:9" }}' };
		const given = { ...edit, model: byId('vidomni-v4'), duration: 30, ...open };
		const { json } = ok(await run('generate', given));
		expect(sent()).toEqual([
			{
				...{ model: 'vidomni-v4', prompt: 'a pier', duration: 30, mode: '8k' },
				...{ aspect_ratio: '21:9', video_list: sentVideo },
			},
		]);
		expect(json[0]?.notes).toEqual([unlisted('model', 'vidomni-v4')]);
	});

	test.each(['generate', 'remix'])('%s: an empty model is refused', async (operation) => {
		const result = await run(operation, { ...prompt, taskId: 't', model: '={{ "" }}' });
		expectRefused(service, result, '"Model" is required');
	});
});

test('Panel: what most people set first is in sight, before what few need', () => {
	expect(labelsShown(node, { resource: 'video', operation: 'generate' })).toEqual([
		...['Resource', 'Operation', 'Model', 'Prompt', 'Images', 'Duration (Seconds)'],
		...['Aspect Ratio', 'Video', 'Multiple Shots'],
		...['Wait for Result', 'Output', 'Download Files', 'Additional Fields', 'Options'],
	]);
	const fields = node.description.properties.flatMap((field) =>
		(field.type === 'collection' ? (field.options ?? []) : [field]).filter(
			(each): each is INodeProperties => 'type' in each,
		),
	);
	const labels = (name: string) =>
		(fields.find((field) => field.name === name)?.options ?? []).map((option) => [
			option.name,
			'value' in option && option.value,
		]);
	expect(labels('mode')).toEqual([
		['Default', ''],
		['720p', 'std'],
		['1080p', 'pro'],
		['4K', '4k'],
	]);
	expect(labels('aspectRatio')).toEqual([
		['Default', ''],
		['Widescreen (16:9)', '16:9'],
		['Portrait (9:16)', '9:16'],
		['Square (1:1)', '1:1'],
	]);
	expect(labels('imageInput')).toEqual([
		['None', 'none'],
		['First Frame', 'firstFrame'],
		['First and Last Frame', 'firstAndLastFrame'],
		['References', 'references'],
		['With Roles', 'roles'],
	]);
});

test('an element that is left as the panel adds it is not sent', async () => {
	const untouched = { name: '', description: '', elementInputUrls: [], binaryProperties: '' };
	const others = ['cook', 'mate'].map((name) => ({ ...sailor, name }));
	ok(await run('generate', elements(untouched, sailor, ...others), undefined, goOn));
	const names = ['sailor', 'cook', 'mate'].map((name) => ({ ...sentSailor[0], name }));
	expect(sent()).toEqual([expect.objectContaining({ element_list: names })]);
});

test('pictures given as objects with a url are sent as plain URLs', async () => {
	const one = '{ url: "https://example.com/front.png" }';
	const objects = `={{ [${one}, { url: "https://example.com/side.png" }] }}`;
	await run('generate', { ...references(), imageUrls: objects });
	await run('generate', { ...frames, firstFrameUrl: `={{ ${one} }}` });
	await run('generate', images({ url: `={{ ${one} }}` }));
	await run('generate', elements({ ...sailor, elementInputUrls: objects }));
	expect(sent()).toMatchObject([
		{ image_urls: [front, side] },
		{ image_with_roles: [...sentImages, { url: side, role: 'last_frame' }] },
		{ image_with_roles: sentImages },
		{ element_list: sentSailor },
	]);
});

test("the ID of the task to extend may be a number, and an unknown one is the service's to refuse", async () => {
	const { error } = await run('remix', { taskId: '={{ 4711 }}' });
	expect(error?.httpCode).toBe('404');
	const paths = service.sandbox.requests.list({ path: '/v1/videos' }).map(({ path }) => path);
	expect(paths).toContain('/v1/videos/4711/remix');
	expect(service.sandbox.ledger().accepted).toBe(0);
});

test.each<[string, { state: 'running' | 'failed' }, string]>([
	['still running', { state: 'running' }, '"Task ID" must be a completed task; this one is still'],
	['failed', { state: 'failed' }, '"Task ID" must be a completed task; this one has failed'],
])('an original that is %s is refused before anything is bought', async (_, original, message) => {
	const { id } = service.sandbox.originals.video(original);
	const { error } = await run('remix', { taskId: id });
	expect(error?.message).toContain(message);
	expect(error?.message).toContain('[row 1 (item 0)]');
	expect(sent()).toEqual([]);
});

test('a model that the record does not tell is left to the service, and that is said', async () => {
	const { id } = service.sandbox.originals.video({ model: 'vidgen3.1-quality' });
	const wrong = await run('remix', { taskId: id });
	expect(wrong.error?.httpCode).toBe('400');
	expect(service.sandbox.ledger().accepted).toBe(0);

	const right = ok(await run('remix', { taskId: id, model: 'vidgen3.1-quality-ext' }));
	expect(right.hints.map(({ message }) => message)).toContain(
		`The service must decide whether task ${id} was made by vidgen3.1-quality-ext: its record does not name a model`,
	);
});

test('a record that cannot be read is told as that', async () => {
	const { id } = service.sandbox.originals.video();
	service.sandbox.faults.add({
		match: { method: 'GET' },
		count: null,
		effect: { type: 'status', status: 500 },
	});
	const { json } = await run('remix', { taskId: id });
	expect(json[0]?.notes).toContain(
		`The service must decide whether task ${id} was made by vidgen3.1-fast: its record could not be read`,
	);
});

test('n8n does not ask for "Video URL" where an expression gives "Video"', async () => {
	ok(await run('generate', { prompt: 'Fog', referType: '={{ "none" }}' }));
	expect(sent()).toHaveLength(1);
});
