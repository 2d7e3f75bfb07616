import type { ILoadOptionsFunctions, INodeListSearchResult, INodeParameters } from 'n8n-workflow';

import { MediaGenMusic } from '../../../nodes/MediaGenMusic/MediaGenMusic.node';
import { ok } from '../support/engine';
import {
	extra,
	type FieldTable,
	fieldsShown,
	isShown,
	needed,
	testFields,
	top,
} from '../support/fieldTable';
import { newNodeRunner, PARENT, runnerOf } from '../support/operations';
import { bodiesSent, expectRefused, useSandbox } from '../support/sandbox';
import { goOn } from '../support/settings';

const service = useSandbox();
const node = new MediaGenMusic();
const runOperation = runnerOf(service);

type Given = Record<string, unknown>;

const run = newNodeRunner(service, node, 'music');

const sent = () => bodiesSent(service);

const custom = { custom: true };
const described = { custom: false, gptDescription: 'a shanty' };
const span = { startS: 1, endS: 4 };

const model = extra('model', 'musicgen', 'model');
const version = extra('version', 'v4.5+', 'version');
const source = [needed('taskId', PARENT, 'task_id'), needed('audioIndex', 1, 'audio_index')];
const song = [
	top('custom', true, 'custom', true, { prompt: 'la la' }),
	top('prompt', 'la la', 'prompt', 'la la', custom),
	top('gptDescription', 'a shanty', 'gpt_description'),
	top('tags', 'folk', 'tags', 'folk', custom),
	extra('negativeTags', 'drums', 'negative_tags', 'drums', custom),
	extra('styleWeight', 0.25, 'style_weight', 0.25, custom),
	extra('title', 'Harbour', 'title', 'Harbour', custom),
	extra('weirdnessConstraint', 0, 'weirdness_constraint', 0, custom),
	extra('audioWeight', 1, 'audio_weight', 1, custom),
];
const vocalGender = extra('vocalGender', 'Male', 'vocal_gender', 'Male', described);
const sung = [version, ...song, vocalGender];
const autoLyrics = extra('autoLyrics', false, 'auto_lyrics', false, custom);
const instrumental = extra('instrumental', true, 'instrumental');
const continueAt = extra('continueAt', 12, 'continue_at');
const persona = extra('personaId', 'p1', 'persona_id', 'p1', custom);

const weights = ['style_weight', 'weirdness_constraint', 'audio_weight'];
const SONG = ['custom', 'prompt', 'gpt_description', 'title', 'tags', 'negative_tags', ...weights];
const SUNG = ['version', ...SONG, 'vocal_gender'];
const SOURCE = ['model', 'task_id', 'audio_index'];
const start = (value: number) => needed('startS', value, 'start_s');
const end = (value: number) => needed('endS', value, 'end_s');
const inMode = (mode: string, value: string) => ({ __rl: true, mode, value });

/** Fields by spec §2, and the rows that set them. */
const FIELDS: Record<string, FieldTable> = {
	'music.sample': {
		spec: [...SOURCE, 'start_s', 'end_s', 'instrumental', ...SUNG, 'auto_lyrics'],
		rows: [model, ...source, start(1.5), end(7.25), instrumental, ...sung, autoLyrics],
	},
	'music.coverSong': {
		spec: [...SOURCE, ...SUNG, 'persona_id'],
		rows: [model, ...source, ...sung, persona],
	},
	'music.extend': {
		spec: [...SOURCE, ...SUNG, 'continue_at', 'auto_lyrics', 'persona_id'],
		rows: [model, ...source, ...sung, continueAt, autoLyrics, persona],
	},
	'music.addInstrumental': {
		spec: [...SOURCE, ...SUNG],
		rows: [model, ...source, extra('version', 'v5', 'version'), ...song, vocalGender],
	},
	'music.addVocals': { spec: [...SOURCE, ...SUNG], rows: [model, ...source, ...sung] },
	'music.addStem': {
		spec: [...SOURCE, 'version', ...SONG],
		rows: [model, ...source, version, ...song],
	},
	'music.crop': {
		spec: [...SOURCE, 'start_s', 'end_s'],
		rows: [model, ...source, start(2), end(9)],
	},
	'music.stems': {
		spec: [...SOURCE, 'stem_type'],
		rows: [
			model,
			...source,
			top('stemType', 'bass', 'stem_type'),
			{
				...top('stemType', inMode('list', 'piano'), 'stem_type', 'piano'),
				unset: { stemType: inMode('id', '') },
			},
			needed(
				'stemType',
				inMode('id', '={{ "acoustic" + "_guitar" }}'),
				'stem_type',
				'acoustic_guitar',
			),
		],
	},
	'music.fadeIn': {
		spec: [...SOURCE, 'duration_s', 'title'],
		rows: [
			model,
			...source,
			extra('durationS', 3, 'duration_s'),
			extra('title', 'Harbour', 'title'),
		],
	},
	'music.sounds': {
		spec: ['model', 'version', 'prompt', 'type', 'bpm', 'key'],
		rows: [
			model,
			version,
			top('prompt', 'waves', 'prompt', 'waves', { additionalFields: { bpm: 60 } }),
			extra('type', 'ambience', 'type'),
			extra('bpm', 90, 'bpm'),
			extra('key', 'C minor', 'key'),
		],
	},
	'music.upsampleTags': { spec: ['model', 'tags'], rows: [model, needed('tags', 'folk', 'tags')] },
};

testFields(service, FIELDS, () => ({ [PARENT]: service.sandbox.originals.track().id }));

const style = ['tags', 'additionalFields.title', 'additionalFields.styleWeight'];
const waiting = [
	'waitMode',
	'output',
	'downloadFiles',
	'options.timeout',
	'options.maxDownloadSize',
];

test.each([
	['coverSong', { custom: false }, ['prompt', ...style, 'additionalFields.personaId']],
	['coverSong', { custom: true }, ['gptDescription']],
	['extend', {}, ['prompt', ...style, 'additionalFields.autoLyrics']],
	['extend', { custom: true }, ['gptDescription']],
	['crop', {}, ['additionalFields.version']],
	['stems', {}, ['additionalFields.version']],
	['upsampleTags', {}, ['additionalFields.version', ...waiting]],
	['sounds', {}, ['taskId', 'audioIndex']],
])('%s with %j does not show %j', (operation, given, hidden) => {
	const parameters = { resource: 'music', operation, ...given };
	expect(hidden.filter((field) => isShown(node, parameters, field))).toEqual([]);
});

test('the list of stem types is narrowed by the filter', async () => {
	const search = async (filter?: string) => {
		const context = {} as ILoadOptionsFunctions;
		const { results } = await node.methods.listSearch.searchStemTypes.call(context, filter);
		return results.map(({ value }) => value);
	};
	expect(await search()).toContain('lead_vocal');
	expect(await search('Vocal')).toEqual(['lead_vocal', 'backing_vocals']);
});

test('each field is shown once, though the mode is an expression', () => {
	const parameters = { resource: 'music', operation: 'coverSong', custom: '={{ true }}' };
	const shown = fieldsShown(node, parameters).map(({ name }) => name);
	expect(shown).toEqual([...new Set(shown)]);
	expect(shown).toEqual(expect.arrayContaining(['prompt', 'gptDescription', 'tags']));
});

test('every point in time begins empty: none is bought because nobody changed it', () => {
	const defaults = node.description.properties
		.flatMap((property) => [property, ...(property.options ?? [])])
		.filter(({ name }) => ['startS', 'endS', 'continueAt'].includes(name))
		.map((property) => ('default' in property ? property.default : undefined));
	// Sample and Crop have both, Extend has one.
	expect(defaults).toEqual([null, null, null, null, null]);
});

test('the versions that each operation offers', async () => {
	const listOf = (operation: string) => {
		const versions = node.description.properties
			.filter(
				({ name, displayOptions }) =>
					name === 'additionalFields' && displayOptions?.show?.operation?.includes(operation),
			)
			.flatMap(({ options = [] }) => options)
			.filter(({ name }) => name === 'version');
		return versions
			.flatMap((version) => ('modes' in version ? (version.modes ?? []) : []))
			.map(({ typeOptions }) => typeOptions?.searchListMethod);
	};
	expect([listOf('sample')[0], listOf('addInstrumental')[0], listOf('crop')[0]]).toEqual([
		'searchVersions',
		'searchInstrumentalVersions',
		undefined,
	]);
	const { listSearch } = node.methods;
	const context = {} as ILoadOptionsFunctions;
	const valuesOf = ({ results }: INodeListSearchResult) => results.map(({ value }) => value);
	const all = ['v3.5', 'v4', 'v4.5', 'v4.5+', 'v4.5-all', 'v5', 'v5.5'];
	expect(valuesOf(await listSearch.searchVersions.call(context))).toEqual(all);
	const ofInstrumental = valuesOf(await listSearch.searchInstrumentalVersions.call(context));
	expect(ofInstrumental).toEqual(['v5', 'v5.5']);
});

const gender = { vocalGender: 'Male' };
const inStyle = { title: 'Harbour', negativeTags: 'drums', personaId: 'p1' };
const weighed = { styleWeight: 0, weirdnessConstraint: 1, audioWeight: 0.5 };
const additional = { ...inStyle, ...weighed, ...gender };
const stale = { tags: 'folk', additionalFields: additional };
const both = { prompt: 'la', gptDescription: 'd', ...stale };
/** By an expression, with which the panel shows every field. */
const chosen = (mode: string) => ({ custom: `={{ ${mode} }}`, ...both });
const withLyrics = { additionalFields: { ...additional, autoLyrics: true } };
const wrongButUnread = { additionalFields: { styleWeight: 7, ...gender } };
const asStyle = ['tags', 'negative_tags', 'title', ...weights, 'persona_id', 'vocal_gender'];
const asCustom = ['prompt', ...asStyle];
const asDescribed = ['gpt_description', 'vocal_gender'];
const byText = { ...chosen('"false"'), ...wrongButUnread };
const extended = { ...chosen('true'), ...withLyrics };
const asExtended = ['custom', ...asCustom, 'auto_lyrics'];

test.each<[string, string, Given, string[]]>([
	['lyrics make it custom', 'coverSong', both, asCustom],
	['a description makes it described', 'coverSong', { gptDescription: 'd', ...stale }, asDescribed],
	['tags make it custom', 'coverSong', stale, asStyle],
	['chosen by a text', 'coverSong', byText, ['custom', ...asDescribed]],
	['custom, with leftovers', 'coverSong', chosen('true'), ['custom', ...asCustom]],
	['extend leaves it open', 'extend', { ...chosen('""'), ...withLyrics }, asDescribed],
	['an extension, custom', 'extend', extended, asExtended],
])('the mode decides what is sent: %s', async (_, operation, given, fields) => {
	const { id } = service.sandbox.originals.track();
	ok(await run(operation, { taskId: id, ...given }));
	expect(Object.keys(sent()[0] ?? {}).sort()).toEqual(['task_id', 'audio_index', ...fields].sort());
	expect(service.sandbox.tasks.list().flatMap(({ ignored }) => ignored)).toEqual([]);
});

test('where nothing decides the mode, what is set is sent', async () => {
	const { id } = service.sandbox.originals.track();
	await run('coverSong', { taskId: id, additionalFields: { negativeTags: 'drums' } });
	expect(sent()).toMatchObject([{ negative_tags: 'drums' }]);
});

test('what an inferred mode leaves out is said', async () => {
	const { id } = service.sandbox.originals.track();
	const { hints } = await run('coverSong', { taskId: id, gptDescription: 'd', tags: 'folk' });
	expect(hints.map(({ message }) => message)).toContain(
		'"Tags" was not sent: the mode does not read it',
	);
});

test.each<[string, Given, boolean]>([
	['coverSong', { tags: '={{ $json.stile }}' }, true],
	['addVocals', { custom: true }, true],
	['extend', { custom: true }, true],
	['extend', {}, false],
	['coverSong', { tags: 'folk' }, false],
	['coverSong', { additionalFields: { negativeTags: 'drums' } }, true],
	['coverSong', { custom: true, additionalFields: { negativeTags: 'drums' } }, false],
])('%s %j: nothing says what the song is like: %s', async (operation, given, isSaid) => {
	const { id } = service.sandbox.originals.track();
	const { hints } = await run(operation, { taskId: id, ...given });
	const said = 'Nothing says what the song is like: no lyrics, description, tags or title are sent';
	expect(hints.map(({ message }) => message).includes(said)).toBe(isSaid);
});

const undef = '={{ undefined }}';
const afterStart = 'must be after the start, which is at 3 seconds';
const fromDescription = '"Description" is required by the mode From Description';
const within = 'must be a number from 0 to 1';
const whole = 'must be a whole number';
const more = (additionalFields: INodeParameters) => ({ additionalFields });
const weighing = (weights: INodeParameters) => ({ custom: true, ...more(weights) });
const tooTame = weighing({ weirdnessConstraint: -0.01 });
const noWeight = weighing({ audioWeight: '={{ "much" }}' });
const fromThree = { startS: 3, tags: 'folk' };
const toTwo = { ...fromThree, endS: 2.5 };
const byFour = more({ version: '={{ "v4" }}' });

test.each<[string, string, Given, string]>([
	['no source', 'coverSong', { taskId: '={{ "" }}', tags: 'folk' }, '"Task ID" is required'],
	['no source to add a stem to', 'addStem', { taskId: '={{ " " }}' }, '"Task ID" is required'],
	['track zero', 'coverSong', { audioIndex: 0 }, `"Track Number" ${whole} of at least 1`],
	['no track', 'coverSong', { audioIndex: undef }, '"Track Number" is required'],
	['no sample start', 'sample', { startS: undef, endS: 3 }, '"Sample Start (Seconds)" is required'],
	['no sample end', 'sample', { startS: 1, endS: undef }, '"Sample End (Seconds)" is required'],
	['no crop end', 'crop', { startS: 1, endS: undef }, '"End (Seconds)" is required'],
	['a crop that nobody set', 'crop', {}, '"Start (Seconds)" is required'],
	['a crop whose end was forgotten', 'crop', { startS: 3 }, '"End (Seconds)" is required'],
	['a sample whose end was forgotten', 'sample', fromThree, '"Sample End (Seconds)" is required'],
	['a sample that ends too early', 'sample', toTwo, `"Sample End (Seconds)" ${afterStart}`],
	['a crop of nothing', 'crop', { startS: 3, endS: 3 }, `"End (Seconds)" ${afterStart}`],
	['half a second of a crop', 'crop', { startS: 0.5, endS: 3 }, `"Start (Seconds)" ${whole}`],
	[
		'half a second more',
		'crop',
		{ startS: 2, endS: 4.5 },
		`"End (Seconds)" ${whole} of at least 0`,
	],
	['an accompaniment by v4', 'addInstrumental', byFour, '"Version" must be one of v5, v5.5'],
	['a weight below none', 'coverSong', tooTame, `"Weirdness" ${within}`],
	['a weight above one', 'coverSong', weighing({ styleWeight: 1.01 }), `"Style Weight" ${within}`],
	['a weight that is none', 'addStem', noWeight, `"Audio Weight" ${within}`],
	['a description that is missing', 'coverSong', { custom: false }, fromDescription],
	['a mode that is none', 'coverSong', { custom: '={{ "x" }}' }, '"Mode" must be true or false'],
	['no tags to enhance', 'upsampleTags', { tags: '={{ "" }}' }, '"Tags" is required'],
	['a sound of nothing', 'sounds', { prompt: undef }, '"Prompt" is required: nothing says what'],
	[
		'half a second to continue at',
		'extend',
		more({ continueAt: 1.5 }),
		`"Continue At (Seconds)" ${whole}`,
	],
])('refused before anything is sent: %s', async (_, operation, given, message) => {
	const items = [{ json: { taskId: 't' } }];
	expectRefused(service, await run(operation, given, items), message);
});

test('the track of a previous node is taken without an expression being written', async () => {
	const wait = { waitMode: 'poll', downloadFiles: false };
	const made = await run('sounds', { prompt: 'waves', output: 'files', ...wait });
	expect(made.json.map(({ index, kind }) => [index, kind])).toEqual([
		[1, 'audio'],
		[2, 'audio'],
	]);
	service.sandbox.requests.clear();
	const cropped = ok(await run('crop', { ...span, ...wait }, made.items));
	const sources = sent().map(({ task_id, audio_index }) => [task_id, audio_index]);
	const taskId = made.json[0]?.taskId;
	expect(sources.sort()).toEqual([
		[taskId, 1],
		[taskId, 2],
	]);
	const ended = { family: 'music', operation: 'crop', status: 'completed', progress: 100 };
	expect(cropped.json[0]).toMatchObject(ended);
	expect(cropped.json[0]?.results).toHaveLength(1);
});

test('enhanced tags come back at once', async () => {
	const { json } = ok(await run('upsampleTags', { tags: 'folk, slow' }));
	expect(json[0]).toMatchObject({
		operation: 'upsampleTags',
		status: 'completed',
		upsampledTags: expect.stringContaining('folk') as string,
	});
	expect(json[0]?.results).toEqual([]);
	expect(service.sandbox.requests.list()).toHaveLength(1);
});

const unlisted = (label: string, value: string) =>
	`The ${label} "${value}" is not in this package's list: it is sent as it is`;
const tooEarly =
	'"Continue At (Seconds)" is -2, before the beginning of the song: it is sent as it is';
const newVersion = more({ version: inMode('id', 'v9') });
const newModel = more({ model: inMode('id', 'choirgen') });
const newGender = { tags: 'folk', ...more({ vocalGender: '={{ "Other" }}' }) };
const atMinusTwo = { gptDescription: 'slower', ...more({ continueAt: -2 }) };
const newStem = { stemType: inMode('id', 'kazoo') };

test.each<[string, string, INodeParameters, Given, string]>([
	['a version', 'sounds', newVersion, { version: 'v9' }, unlisted('version', 'v9')],
	['a model', 'sounds', newModel, { model: 'choirgen' }, unlisted('model', 'choirgen')],
	[
		'a gender',
		'coverSong',
		newGender,
		{ vocal_gender: 'Other' },
		unlisted('vocal gender', 'Other'),
	],
	['a point before the beginning', 'extend', atMinusTwo, { continue_at: -2 }, tooEarly],
	['a stem type', 'stems', newStem, { stem_type: 'kazoo' }, unlisted('stem type', 'kazoo')],
])(
	'%s that is not known is sent, and the user is told',
	async (_, operation, given, body, note) => {
		const taskId = service.sandbox.originals.track().id;
		service.sandbox.requests.clear();
		const { json } = await runOperation(
			`music.${operation}`,
			{ waitMode: 'none', ...(operation === 'sounds' ? {} : { taskId }), ...given },
			goOn,
		);
		const [posted] = service.sandbox.requests.list().filter(({ method }) => method === 'POST');
		expect(posted?.body).toMatchObject(body);
		expect(json[0]?.notes).toEqual([note]);
	},
);
