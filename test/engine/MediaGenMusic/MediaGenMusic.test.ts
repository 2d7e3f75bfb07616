import type {
	ILoadOptionsFunctions,
	INodeExecutionData,
	INodeListSearchResult,
	INodeParameters,
} from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';

import { MediaGenMusic } from '../../../nodes/MediaGenMusic/MediaGenMusic.node';
import { runNode } from '../support/engine';
import {
	completed,
	extra,
	fieldsOf,
	isShown,
	needed,
	type Row,
	top,
	withExpression,
} from '../support/fieldTable';
import { submissions, useSandbox } from '../support/sandbox';

const service = useSandbox();
const node = new MediaGenMusic();

type Given = Record<string, unknown>;

/** Runs one operation on a track of your own, which every operation takes as a source. */
async function run(
	operation: string,
	parameters: Given,
	items: INodeExecutionData[] = [{ json: {} }],
) {
	return await runNode({
		node,
		parameters: {
			resource: 'music',
			operation,
			waitMode: 'none',
			...(parameters as INodeParameters),
		},
		items,
		credential: service.credential(),
	});
}

const sent = () => submissions(service.sandbox).map(({ body }) => body as Given);

const custom = { custom: true };
const described = { custom: false, gptDescription: 'a shanty' };
const span = { startS: 1, endS: 4 };

const model = extra('model', 'musicgen', 'model');
const version = extra('version', 'v4.5+', 'version');
const source = [needed('taskId', 'TRACK', 'task_id'), top('audioIndex', 1, 'audio_index')];
const song = [
	top('custom', true, 'custom', true, { prompt: 'la la' }),
	top('prompt', 'la la', 'prompt', 'la la', custom),
	top('gptDescription', 'a shanty', 'gpt_description'),
	top('tags', 'folk', 'tags', 'folk', custom),
	top('title', 'Harbour', 'title', 'Harbour', custom),
	extra('negativeTags', 'drums', 'negative_tags', 'drums', custom),
	extra('styleWeight', 0.25, 'style_weight', 0.25, custom),
	extra('weirdnessConstraint', 0, 'weirdness_constraint', 0, custom),
	extra('audioWeight', 1, 'audio_weight', 1, custom),
];
const vocalGender = extra('vocalGender', 'Male', 'vocal_gender', 'Male', described);
const autoLyrics = extra('autoLyrics', false, 'auto_lyrics', false, custom);
const persona = extra('personaId', 'p1', 'persona_id', 'p1', custom);

const SONG = [
	'custom',
	'prompt',
	'gpt_description',
	'title',
	'tags',
	'negative_tags',
	'style_weight',
	'weirdness_constraint',
	'audio_weight',
];
const SOURCE = ['model', 'task_id', 'audio_index'];

/** Fields by spec §2, and the rows that set them. `base` is what the operation cannot do without. */
const OPERATIONS: Record<string, { spec: string[]; rows: Row[]; base?: Given }> = {
	sample: {
		spec: [
			...SOURCE,
			'start_s',
			'end_s',
			'instrumental',
			'version',
			...SONG,
			'auto_lyrics',
			'vocal_gender',
		],
		rows: [
			model,
			...source,
			needed('startS', 1.5, 'start_s'),
			needed('endS', 7.25, 'end_s'),
			extra('instrumental', true, 'instrumental'),
			version,
			...song,
			autoLyrics,
			vocalGender,
		],
		base: span,
	},
	coverSong: {
		spec: [...SOURCE, 'version', ...SONG, 'vocal_gender', 'persona_id'],
		rows: [model, ...source, version, ...song, vocalGender, persona],
	},
	extend: {
		spec: [
			...SOURCE,
			'version',
			'continue_at',
			...SONG,
			'auto_lyrics',
			'persona_id',
			'vocal_gender',
		],
		rows: [
			model,
			...source,
			version,
			extra('continueAt', 12, 'continue_at'),
			...song,
			autoLyrics,
			persona,
			vocalGender,
		],
	},
	addInstrumental: {
		spec: [...SOURCE, 'version', ...SONG, 'vocal_gender'],
		rows: [model, ...source, extra('version', 'v5', 'version'), ...song, vocalGender],
	},
	addVocals: {
		spec: [...SOURCE, 'version', ...SONG, 'vocal_gender'],
		rows: [model, ...source, version, ...song, vocalGender],
	},
	addStem: { spec: [...SOURCE, 'version', ...SONG], rows: [model, ...source, version, ...song] },
	crop: {
		spec: [...SOURCE, 'start_s', 'end_s'],
		rows: [model, ...source, needed('startS', 2, 'start_s'), needed('endS', 9, 'end_s')],
		base: span,
	},
	stems: {
		spec: [...SOURCE, 'stem_type'],
		rows: [
			model,
			...source,
			top('stemType', 'bass', 'stem_type'),
			{
				...top('stemType', { __rl: true, mode: 'list', value: 'piano' }, 'stem_type', 'piano'),
				unset: { stemType: { __rl: true, mode: 'name', value: '' } },
			},
			needed(
				'stemType',
				{ __rl: true, mode: 'name', value: '={{ "acoustic" + "_guitar" }}' },
				'stem_type',
				'acoustic_guitar',
			),
		],
	},
	fadeIn: {
		spec: [...SOURCE, 'duration_s', 'title'],
		rows: [
			model,
			...source,
			extra('durationS', 3, 'duration_s'),
			extra('title', 'Harbour', 'title'),
		],
	},
	sounds: {
		spec: ['model', 'version', 'prompt', 'type', 'bpm', 'key'],
		rows: [
			model,
			version,
			top('prompt', 'waves', 'prompt', 'waves', { additionalFields: { bpm: 60 } }),
			extra('type', 'ambience', 'type'),
			extra('bpm', 90, 'bpm'),
			extra('key', 'C minor', 'key'),
		],
		base: { prompt: 'rain' },
	},
	upsampleTags: {
		spec: ['model', 'tags'],
		rows: [model, needed('tags', 'folk', 'tags')],
		base: { tags: 'rock' },
	},
};

const names = Object.keys(OPERATIONS);
const rows = Object.entries(OPERATIONS).flatMap(([operation, { rows: own, base = {} }]) =>
	own.map((row) => [operation, row.field, { row, base }] as const),
);

test.each(names)(
	'%s: the table has every field of the panel, and the panel every field of the spec',
	(operation) => {
		const { rows: own, spec } = OPERATIONS[operation] ?? { rows: [], spec: [] };
		expect([...new Set(own.map(({ field }) => field))].sort()).toEqual(
			fieldsOf(node, operation).sort(),
		);
		expect([...new Set(own.map(({ api }) => api))].sort()).toEqual([...spec].sort());
	},
);

test.each(rows)(
	'%s › %s: shown, sent under its name and type, taken, and absent when unset',
	async (operation, field, { row, base }) => {
		const { id } = service.sandbox.originals.track();
		const filled = (parameters: Given): Given => {
			const { taskId = 'TRACK', ...others } = { ...base, ...parameters };
			return {
				...(operation === 'sounds' || operation === 'upsampleTags'
					? {}
					: { taskId: taskId === 'TRACK' ? id : taskId }),
				...others,
			};
		};
		const expected = row.sent === 'TRACK' ? id : row.sent;
		expect(isShown(node, { resource: 'music', operation, ...filled(row.set) }, field)).toBe(true);

		const first = await run(operation, filled(row.set));
		expect(first.error).toBeUndefined();
		const typed = withExpression(row);
		if (typed && row.sent !== 'TRACK') await run(operation, filled(typed.set));
		for (const body of sent()) expect(body[row.api]).toStrictEqual(expected);
		expect(sent()).toHaveLength(typed && row.sent !== 'TRACK' ? 2 : 1);

		if (row.unset === undefined) return;
		service.sandbox.requests.clear();
		const without = await run(operation, filled(row.unset));
		expect(without.error).toBeUndefined();
		expect(sent()).toHaveLength(1);
		expect(sent()[0]).not.toHaveProperty(row.api);
	},
);

test.each([
	[
		'coverSong',
		{ custom: false },
		['prompt', 'tags', 'title', 'additionalFields.styleWeight', 'additionalFields.personaId'],
	],
	['coverSong', { custom: true }, ['gptDescription']],
	[
		'extend',
		{},
		['prompt', 'tags', 'title', 'additionalFields.styleWeight', 'additionalFields.autoLyrics'],
	],
	['extend', { custom: true }, ['gptDescription']],
	['crop', {}, ['additionalFields.version']],
	['stems', {}, ['additionalFields.version']],
	[
		'upsampleTags',
		{},
		[
			'additionalFields.version',
			'waitMode',
			'output',
			'downloadFiles',
			'options.timeout',
			'options.maxDownloadSize',
		],
	],
	['sounds', {}, ['taskId', 'audioIndex']],
])('%s with %j does not show %j', (operation, given, hidden) => {
	for (const field of hidden) {
		expect([field, isShown(node, { resource: 'music', operation, ...given }, field)]).toEqual([
			field,
			false,
		]);
	}
});

test('each field is shown once, though the mode is an expression', () => {
	const parameters = completed(node, {
		resource: 'music',
		operation: 'coverSong',
		custom: '={{ true }}',
	});
	const holder = {
		id: '1',
		name: 'Music',
		type: 'mediaGenMusic',
		typeVersion: 1,
		position: [0, 0] as [number, number],
		parameters,
	};
	const shown = node.description.properties
		.filter((field) => NodeHelpers.displayParameter(parameters, field, holder, node.description))
		.map(({ name }) => name);
	expect(shown).toEqual([...new Set(shown)]);
	expect(shown).toEqual(expect.arrayContaining(['prompt', 'gptDescription', 'tags', 'title']));
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
	expect(valuesOf(await listSearch.searchVersions.call(context))).toEqual([
		'v3.5',
		'v4',
		'v4.5',
		'v4.5+',
		'v4.5-all',
		'v5',
		'v5.5',
	]);
	expect(valuesOf(await listSearch.searchInstrumentalVersions.call(context))).toEqual([
		'v5',
		'v5.5',
	]);
});

const stale = {
	tags: 'folk',
	title: 'Harbour',
	additionalFields: { styleWeight: 0.5, vocalGender: 'Male' },
};

test.each<[string, string, Given, string[]]>([
	[
		'a prompt makes it custom',
		'coverSong',
		{ prompt: 'la', gptDescription: 'd', ...stale },
		['prompt', 'tags', 'title', 'style_weight', 'vocal_gender'],
	],
	[
		'a description makes it described',
		'coverSong',
		{ gptDescription: 'd', ...stale },
		['gpt_description', 'vocal_gender'],
	],
	[
		'tags make it custom',
		'coverSong',
		{ tags: 'folk', additionalFields: { styleWeight: 0.5 } },
		['tags', 'style_weight'],
	],
	[
		'chosen by an expression',
		'coverSong',
		{ custom: '={{ false }}', prompt: 'la', gptDescription: 'd', ...stale },
		['custom', 'gpt_description', 'vocal_gender'],
	],
	[
		'described, with leftovers',
		'coverSong',
		{ custom: false, prompt: 'la', gptDescription: 'd', ...stale },
		['custom', 'gpt_description', 'vocal_gender'],
	],
	[
		'custom, with leftovers',
		'coverSong',
		{ custom: true, prompt: 'la', gptDescription: 'd', ...stale },
		['custom', 'prompt', 'tags', 'title', 'style_weight', 'vocal_gender'],
	],
	[
		'extend leaves it open',
		'extend',
		{ custom: '={{ "" }}', prompt: 'la', gptDescription: 'd', ...stale },
		['gpt_description', 'vocal_gender'],
	],
])('the mode decides what is sent: %s', async (_, operation, given, fields) => {
	const { id } = service.sandbox.originals.track();
	const result = await run(operation, { taskId: id, audioIndex: '', ...given });
	expect(result.error).toBeUndefined();
	expect(Object.keys(sent()[0] ?? {}).sort()).toEqual(['task_id', ...fields].sort());
	expect(
		service.sandbox.tasks
			.list()
			.map(({ ignored }) => ignored)
			.flat(),
	).toEqual([]);
});

test('what an inferred mode leaves out is said', async () => {
	const { id } = service.sandbox.originals.track();
	const { hints } = await run('coverSong', { taskId: id, gptDescription: 'd', tags: 'folk' });
	expect(hints.map(({ message }) => message)).toContain(
		'"Tags" was not sent: the mode does not read it',
	);
});

test.each<[string, string, Given, string]>([
	['no source', 'coverSong', { taskId: '={{ "" }}', tags: 'folk' }, '"Task ID" is required'],
	['no source to add a stem to', 'addStem', { taskId: '={{ " " }}' }, '"Task ID" is required'],
	[
		'track zero',
		'coverSong',
		{ audioIndex: 0 },
		'"Track Number" must be a whole number of at least 1',
	],
	[
		'no sample start',
		'sample',
		{ startS: '={{ undefined }}', endS: 3 },
		'"Sample Start" is required',
	],
	['no sample end', 'sample', { startS: 1, endS: '={{ undefined }}' }, '"Sample End" is required'],
	['no crop end', 'crop', { startS: 1, endS: '={{ undefined }}' }, '"End" is required'],
	['a crop that nobody set', 'crop', {}, '"Start" is required'],
	['a crop whose end was forgotten', 'crop', { startS: 3 }, '"End" is required'],
	[
		'a sample whose end was forgotten',
		'sample',
		{ startS: 3, tags: 'folk' },
		'"Sample End" is required',
	],
	[
		'a sample that ends before it starts',
		'sample',
		{ startS: 3, endS: 2.5, tags: 'folk' },
		'"Sample End" must be after the start, which is at 3 seconds',
	],
	[
		'a crop of nothing',
		'crop',
		{ startS: 3, endS: 3 },
		'"End" must be after the start, which is at 3 seconds',
	],
	['half a second of a crop', 'crop', { startS: 0.5, endS: 3 }, '"Start" must be a whole number'],
	[
		'a version that adds no accompaniment',
		'addInstrumental',
		{ additionalFields: { version: '={{ "v4" }}' } },
		'"Version" must be one of v5, v5.5',
	],
	[
		'a weight above one',
		'coverSong',
		{ custom: true, additionalFields: { styleWeight: 1.01 } },
		'"Style Weight" must be a number from 0 to 1',
	],
	[
		'a weight below zero',
		'sample',
		{ ...span, custom: true, additionalFields: { weirdnessConstraint: -0.1 } },
		'"Weirdness" must be a number from 0 to 1',
	],
	[
		'a weight that is none',
		'addStem',
		{ custom: true, additionalFields: { audioWeight: '={{ "much" }}' } },
		'"Audio Weight" must be a number from 0 to 1',
	],
	[
		'a description that is missing',
		'coverSong',
		{ custom: false },
		'"Description" is required by the mode From Description',
	],
	[
		'the same for vocals',
		'addVocals',
		{ custom: false },
		'"Description" is required by the mode From Description',
	],
	[
		'a mode that is none',
		'coverSong',
		{ custom: '={{ "perhaps" }}' },
		'"Mode" must be true or false',
	],
	['no tags to enhance', 'upsampleTags', { tags: '={{ "" }}' }, '"Tags" is required'],
	[
		'half a second to continue at',
		'extend',
		{ additionalFields: { continueAt: 1.5 } },
		'"Continue At" must be a whole number',
	],
])('refused before anything is sent: %s', async (_, operation, given, message) => {
	const items = [{ json: { taskId: 't' } }];
	const { error } = await run(operation, given, items);
	expect(error?.message).toContain(message);
	expect(error?.message).toContain('[item 0]');
	expect(service.sandbox.requests.list()).toEqual([]);
});

test('one item that cannot be sent keeps the others from being bought', async () => {
	const items = [{ json: { end: 4 } }, { json: { end: 1.5 } }];
	const { error } = await run('crop', { taskId: 't', startS: 2, endS: '={{ $json.end }}' }, items);
	expect(error?.message).toContain('"End" must be a whole number of at least 0 [item 1]');
	expect(service.sandbox.requests.list()).toEqual([]);
});

test('the track of a previous node is taken without an expression being written', async () => {
	const made = await run('sounds', {
		prompt: 'waves',
		waitMode: 'poll',
		output: 'files',
		downloadFiles: false,
	});
	expect(made.json.map(({ index, kind }) => [index, kind])).toEqual([
		[1, 'audio'],
		[2, 'audio'],
	]);
	service.sandbox.requests.clear();
	const cropped = await run(
		'crop',
		{ ...span, waitMode: 'poll', downloadFiles: false },
		made.items,
	);
	expect(cropped.error).toBeUndefined();
	expect(
		sent()
			.map(({ task_id, audio_index }) => [task_id, audio_index])
			.sort(),
	).toEqual([
		[made.json[0]?.taskId, 1],
		[made.json[0]?.taskId, 2],
	]);
	expect(cropped.json[0]).toMatchObject({
		family: 'music',
		operation: 'crop',
		status: 'completed',
		progress: 100,
	});
	expect(cropped.json[0]?.results).toHaveLength(1);
});

test('the separated stems come out as results with their own names', async () => {
	const { id } = service.sandbox.originals.track();
	const { json, error } = await run('stems', {
		taskId: id,
		stemType: 'bass',
		waitMode: 'poll',
		downloadFiles: false,
	});
	expect(error).toBeUndefined();
	const results = json[0]?.results;
	expect(Array.isArray(results) && results.length).toBeGreaterThan(0);
	for (const result of Array.isArray(results) ? results : []) {
		expect(result).toMatchObject({ kind: 'audio', url: expect.stringMatching(/^http/) as string });
	}
});

test('enhanced tags come back at once', async () => {
	const { json, error } = await run('upsampleTags', { tags: 'folk, slow' });
	expect(error).toBeUndefined();
	expect(json[0]).toMatchObject({
		operation: 'upsampleTags',
		status: 'completed',
		upsampledTags: expect.stringContaining('folk') as string,
	});
	expect(json[0]?.results).toEqual([]);
	expect(service.sandbox.requests.list()).toHaveLength(1);
});

describe('what the service may know better is sent, and the user is told', () => {
	const sentAnyway = (label: string, value: string) =>
		`The ${label} "${value}" is not in this package's list: it is sent as it is`;

	test.each<[string, string, Given, Given, string]>([
		[
			'an unknown version',
			'sounds',
			{ prompt: 'x', additionalFields: { version: '={{ "v9" }}' } },
			{ version: 'v9' },
			sentAnyway('version', 'v9'),
		],
		[
			'an unknown model',
			'sounds',
			{ prompt: 'x', additionalFields: { model: '={{ "choirgen" }}' } },
			{ model: 'choirgen' },
			sentAnyway('model', 'choirgen'),
		],
		[
			'an unknown gender',
			'coverSong',
			{ tags: 'folk', additionalFields: { vocalGender: '={{ "Other" }}' } },
			{ vocal_gender: 'Other' },
			sentAnyway('vocal gender', 'Other'),
		],
		[
			'a point before the beginning to continue at',
			'extend',
			{ gptDescription: 'slower', additionalFields: { continueAt: -2 } },
			{ continue_at: -2 },
			'"Continue At" is -2, before the beginning of the song: it is sent as it is',
		],
		[
			'an unknown stem type',
			'stems',
			{ stemType: 'kazoo' },
			{ stem_type: 'kazoo' },
			sentAnyway('stem type', 'kazoo'),
		],
	])('%s', async (_, operation, given, body, note) => {
		const { id } = service.sandbox.originals.track();
		service.sandbox.requests.clear();
		const source = operation === 'sounds' ? {} : { taskId: id };
		const { json } = await runNode({
			node,
			parameters: {
				resource: 'music',
				operation,
				waitMode: 'none',
				...source,
				...(given as INodeParameters),
			},
			credential: service.credential(),
			settings: { onError: 'continueRegularOutput' },
		});
		const [posted] = service.sandbox.requests.list().filter(({ method }) => method === 'POST');
		expect(posted?.body).toMatchObject(body);
		expect(json[0]?.notes).toEqual([note]);
	});
});
