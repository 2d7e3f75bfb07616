import type { ILoadOptionsFunctions } from 'n8n-workflow';
import fc from 'fast-check';

import { MediaGenMusic } from '../../../nodes/MediaGenMusic/MediaGenMusic.node';
import {
	autoLyrics,
	persona,
	style,
	vocalGender,
	words,
} from '../../../nodes/MediaGenMusic/fields';
import type { SongMode } from '../../../nodes/MediaGenMusic/mode';
import { musicRequest } from '../../../nodes/MediaGenMusic/request';

const songRequest = (mode: SongMode) =>
	musicRequest(
		{
			...words(mode),
			...style,
			auto_lyrics: autoLyrics,
			persona_id: persona,
			vocal_gender: vocalGender,
		},
		mode,
	);
const inferring = songRequest({ infers: true });
const extending = songRequest({ infers: false });

const anyText = fc.string({ minLength: 1 }).filter((value) => value.trim() !== '');
const weight = fc.double({ min: 0, max: 1, noNaN: true });

const customOnly = {
	prompt: anyText,
	title: anyText,
	tags: anyText,
	negative_tags: anyText,
	style_weight: weight,
	weirdness_constraint: weight,
	audio_weight: weight,
	auto_lyrics: fc.boolean(),
	persona_id: anyText,
};

const anySong = fc.record(
	{
		custom: fc.constantFrom(true, false),
		gpt_description: anyText,
		vocal_gender: fc.constantFrom('Male', 'Female'),
		...customOnly,
	},
	{ requiredKeys: [] },
);

type Song = Record<string, unknown>;

/** The rule of spec §2 as a list of steps, told apart from the code under test. */
function modeByTheSpec(given: Song): 'custom' | 'description' | 'undecided' {
	if (given.custom === true) return 'custom';
	if (given.custom === false) return 'description';
	if ('prompt' in given) return 'custom';
	if ('gpt_description' in given) return 'description';
	return 'tags' in given || 'title' in given ? 'custom' : 'undecided';
}

function readByTheSpec(given: Song, mode: 'custom' | 'description' | 'undecided'): Song {
	const ignored = {
		custom: ['gpt_description'],
		description: Object.keys(customOnly),
		undecided: [],
	}[mode];
	return Object.fromEntries(
		Object.entries(given).filter(([name]) => !(ignored as string[]).includes(name)),
	);
}

test('what the inferred mode does not read is not sent, and nothing else is left out', () => {
	fc.assert(
		fc.property(anySong, (given) => {
			const mode = modeByTheSpec(given);
			const read = inferring.safeParse(given);
			if (given.custom === false && given.gpt_description === undefined) {
				expect(read.error?.issues.map(({ path }) => path[0])).toStrictEqual(['gpt_description']);
			} else {
				expect(read.data).toEqual(readByTheSpec(given, mode));
			}
		}),
	);
});

test('the service infers the same mode from what is sent as from what was given', () => {
	fc.assert(
		fc.property(anySong, (given) => {
			const read = inferring.safeParse(given);
			fc.pre(read.success);
			expect(modeByTheSpec(read.data ?? {})).toBe(modeByTheSpec(given));
		}),
	);
});

test('extend infers nothing and demands nothing', () => {
	fc.assert(
		fc.property(anySong, (given) => {
			const mode = given.custom === true ? 'custom' : 'description';
			expect(extending.parse(given)).toEqual(readByTheSpec(given, mode));
		}),
	);
});

test('the list of stem types is narrowed by the filter', async () => {
	const search = async (filter?: string) => {
		const { results } = await new MediaGenMusic().methods.listSearch.searchStemTypes.call(
			{} as ILoadOptionsFunctions,
			filter,
		);
		return results.map(({ value }) => value);
	};
	expect(await search()).toContain('lead_vocal');
	expect(await search('Vocal')).toEqual(['lead_vocal', 'backing_vocals']);
});
