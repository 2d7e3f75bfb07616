import { createHash } from 'node:crypto';
import type { Size } from './size';

/** What a sample shows: words of the prompt give its colors and shapes, and the seed says where they stand. */
interface Scene {
	/** Top to bottom. */
	sky: readonly string[];
	ground: 'water' | 'hills' | 'trees' | 'houses' | 'plain';
	groundColor: string;
	things: ReadonlyArray<{ thing: Thing; color: string }>;
	fog: boolean;
}

const COLORS = new Map([
	['red', '#c8433a'],
	['crimson', '#a8232e'],
	['orange', '#e08a3c'],
	['yellow', '#e8c546'],
	['gold', '#d9a93f'],
	['golden', '#d9a93f'],
	['green', '#4f8f56'],
	['blue', '#3f74b5'],
	['navy', '#27406e'],
	['teal', '#2f8c8c'],
	['turquoise', '#3fb0a8'],
	['purple', '#7b55a3'],
	['violet', '#8a62b8'],
	['pink', '#df8fae'],
	['brown', '#7d5a40'],
	['black', '#24262b'],
	['white', '#f3f1ec'],
	['gray', '#8d939b'],
	['grey', '#8d939b'],
	['silver', '#b9c0c8'],
]);

/** Drawn around 0,0; their group has the color. */
const THINGS = {
	boat: `<path d="M-6 0h12l-2 3h-8z" fill="currentColor"/><path d="M-.4-1v-9h.8v9z" fill="#4a3b30"/><path d="M.8-9.5l5 8h-5z" fill="#f3f1ec"/>`,
	lighthouse: `<path d="M-2 3l.7-13h2.6l.7 13z" fill="#f3f1ec"/><path d="M-1.5-6h3l.2 3h-3.4zM-1.8 0h3.6l.2 3h-4z" fill="currentColor"/><path d="M-1.2-12.4h2.4v2.4h-2.4z" fill="#f6d878"/><path d="M-1.7-12.4l1.7-1.8 1.7 1.8z" fill="currentColor"/>`,
	house: `<path d="M-4-3h8v6h-8z" fill="#efe6d6"/><path d="M-5-3l5-4 5 4z" fill="currentColor"/><path d="M-1 0h2v3h-2z" fill="#4a3b30"/>`,
	tree: `<path d="M-.6-1h1.2v4h-1.2z" fill="#5d4433"/><circle cy="-3.5" r="3.6" fill="currentColor"/>`,
	flower: `<path d="M-.2-2h.4v5h-.4z" fill="#4f8f56"/>${[0, 72, 144, 216, 288].map((turn) => `<circle cy="-4.4" r="1.5" fill="currentColor" transform="rotate(${turn} 0 -3)"/>`).join('')}<circle cy="-3" r="1.1" fill="#e8c546"/>`,
	car: `<path d="M-6 2v-3l2-.5 1.5-2.5h4l2 2.5 2.5.5v3z" fill="currentColor"/><circle cx="-3" cy="2" r="1.2" fill="#24262b"/><circle cx="3" cy="2" r="1.2" fill="#24262b"/>`,
	cat: `<ellipse cy="0" rx="2.6" ry="3.2" fill="currentColor"/><circle cy="-4" r="2" fill="currentColor"/><path d="M-1.9-4.6l.2-2.4 1.5 1.2zM1.9-4.6l-.2-2.4-1.5 1.2z" fill="currentColor"/>`,
	bird: `<path d="M-4-9q2-2.4 4 0 2-2.4 4 0-2-1.2-4 .9-2-2.1-4-.9z" fill="currentColor"/>`,
	circle: `<circle cy="-2" r="4" fill="currentColor"/>`,
	square: `<path d="M-4-6h8v8h-8z" fill="currentColor"/>`,
	triangle: `<path d="M-4.5 2l4.5-8 4.5 8z" fill="currentColor"/>`,
	star: `<path d="M0-7l1.6 3.3 3.6.5-2.6 2.6.6 3.6L0 .3l-3.2 1.7.6-3.6-2.6-2.6 3.6-.5z" fill="currentColor"/>`,
	heart: `<path d="M0 2C-7-3-4-8 0-4.8 4-8 7-3 0 2z" fill="currentColor"/>`,
} as const;

type Thing = keyof typeof THINGS;

/** Other words for a thing. */
const ALSO = new Map<string, Thing>([
	['ball', 'circle'],
	['box', 'square'],
	['cottage', 'house'],
	['dory', 'boat'],
	['gull', 'bird'],
	['kitten', 'cat'],
	['mountain', 'triangle'],
	['pyramid', 'triangle'],
	['rose', 'flower'],
	['sailboat', 'boat'],
	['seagull', 'bird'],
	['ship', 'boat'],
	['tower', 'lighthouse'],
	['van', 'car'],
]);

const isThing = (word: string): word is Thing => Object.hasOwn(THINGS, word);

/** A thing by its word, in the plural too. */
function thingOf(word: string): Thing | undefined {
	const singular = word.replace(/s$/, '');
	return [word, singular].find(isThing) ?? ALSO.get(word) ?? ALSO.get(singular);
}

const SKIES = {
	night: ['#10182f', '#18243f', '#223252', '#2d4166'],
	dawn: ['#5d6fa6', '#a98bb0', '#e2a08f', '#f3c48d'],
	day: ['#8fbfdc', '#a9cfe3', '#c3deea', '#dcecf1'],
} as const;

const TIMES: ReadonlyArray<readonly [words: RegExp, time: keyof typeof SKIES]> = [
	[/\b(night|midnight|moon|stars?|dark)\b/, 'night'],
	[/\b(dawn|sunrise|sunset|dusk|evening|morning)\b/, 'dawn'],
];

const GROUNDS: ReadonlyArray<readonly [words: RegExp, ground: Scene['ground'], color: string]> = [
	[
		/\b(seas?|ocean|harbou?r|lake|river|waves?|water|beach|coast|pier|boats?|ships?|lighthouse)\b/,
		'water',
		'#33607a',
	],
	[/\b(city|street|town|houses|skyline|village)\b/, 'houses', '#565b66'],
	[/\b(forest|woods?|trees|jungle|park)\b/, 'trees', '#33583d'],
	[/\b(mountains?|hills?|valley|field|meadow|garden|desert|snow)\b/, 'hills', '#5c7f58'],
];

const MOST_THINGS = 5;

/** What a prompt asks for, as far as its words are known. A color belongs to the next thing, else to the ground. */
function sceneOf(prompt: string, random: () => number): Scene {
	const text = prompt.toLowerCase();
	const time = TIMES.find(([words]) => words.test(text))?.[1] ?? 'day';
	const things: Array<{ thing: Thing; color: string }> = [];
	const palette = [...COLORS.values()];
	let color: string | undefined;
	for (const word of text.match(/\p{L}+/gu) ?? []) {
		color = COLORS.get(word) ?? color;
		const thing = thingOf(word);
		// Stars are already in the night sky.
		const isInSky = time === 'night' && thing === 'star';
		if (thing === undefined || isInSky || things.length === MOST_THINGS) continue;
		things.push({ thing, color: color ?? pick(palette, random) });
		color = undefined;
	}
	const [, ground, usual] = GROUNDS.find(([words]) => words.test(text)) ?? [];
	return {
		sky: SKIES[time],
		ground: ground ?? 'plain',
		groundColor: color ?? usual ?? pick(palette, random),
		things,
		fog: /\b(fog|foggy|mist|misty)\b/.test(text),
	};
}

/** Numbers from 0 to 1 that depend on the text only. */
function randomFrom(text: string): () => number {
	const digest = createHash('sha256').update(text).digest();
	let state = digest.readUInt32BE(0);
	return () => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return state / 2 ** 32;
	};
}

const pick = (colors: readonly string[], random: () => number) =>
	colors[Math.floor(random() * colors.length)] ?? '#8d939b';

/** Draws the scene that a prompt asks for. The same prompt, seed and size give the same SVG. */
export function sceneSvg(prompt: string, seed: string, { width, height }: Size): string {
	// The words determine the colors, whichever picture of the task it is.
	const scene = sceneOf(prompt, randomFrom(prompt));
	const random = randomFrom(`${prompt}/${seed}`);
	const unit = Math.min(width, height) / 40;
	const horizon = height * (0.52 + random() * 0.16);
	const band = horizon / scene.sky.length;
	const isDark = scene.sky === SKIES.night;
	const light = isDark ? '#f2efdc' : '#f8e3a8';
	const sky = scene.sky.map(
		(color, at) => `<rect y="${at * band}" width="${width}" height="${band + 1}" fill="${color}"/>`,
	);
	const stars = Array.from({ length: isDark ? 24 : 0 }, () => {
		const [x, y] = [width * random(), horizon * random()];
		return `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${unit / 6}" fill="${light}"/>`;
	});
	const sun = `<circle cx="${width * (0.15 + random() * 0.7)}" cy="${horizon * (0.2 + random() * 0.5)}" r="${unit * 3}" fill="${light}"/>`;
	const things = scene.things.map(({ thing, color }, at) => {
		const x = (width * (at + 0.3 + random() * 0.4)) / scene.things.length;
		const y = horizon + (height - horizon) * (0.15 + random() * 0.3);
		const size = unit * (1.3 + random() * 0.6);
		return `<g transform="translate(${x.toFixed(1)} ${y.toFixed(1)}) scale(${size.toFixed(2)})" color="${color}">${THINGS[thing]}</g>`;
	});
	const fog = scene.fog
		? [0.3, 0.5, 0.7].map(
				(at) =>
					`<rect y="${height * at}" width="${width}" height="${height * 0.12}" fill="#fff" opacity="0.4"/>`,
			)
		: [];
	return [
		...sky,
		...stars,
		sun,
		behindOf(scene, random, { width, height: horizon }, unit),
		`<rect y="${horizon}" width="${width}" height="${height - horizon}" fill="${scene.groundColor}"/>`,
		...(scene.ground === 'water' ? waves(random, horizon, { width, height }, unit) : []),
		...things,
		...fog,
	].join('');
}

/** What stands on the horizon. */
function behindOf(
	{ ground, groundColor }: Scene,
	random: () => number,
	{ width, height }: Size,
	unit: number,
): string {
	if (ground === 'water') return '';
	const count = ground === 'plain' || ground === 'hills' ? 3 : 9;
	return Array.from({ length: count }, (_, at) => {
		const x = (width * (at + random() * 0.6)) / count;
		const wide = (width / count) * (0.7 + random() * 0.5);
		const high = unit * (3 + random() * 8);
		const shape =
			ground === 'houses'
				? `M0 0v${-high}h${wide * 0.8}v${high}z`
				: ground === 'trees'
					? `M0 0l${wide / 2} ${-high}l${wide / 2} ${high}z`
					: `M${-wide / 2} 0q${wide} ${-2 * high} ${2 * wide} 0z`;
		return `<path transform="translate(${x.toFixed(1)} ${height.toFixed(1)})" d="${shape}" fill="${groundColor}" stroke="#000" stroke-opacity="0.15" stroke-width="${unit / 8}"/>`;
	}).join('');
}

function waves(random: () => number, horizon: number, { width, height }: Size, unit: number) {
	return Array.from({ length: 12 }, () => {
		const y = horizon + (height - horizon) * random();
		const long = width * (0.05 + random() * 0.15);
		return `<rect x="${(width * random()).toFixed(1)}" y="${y.toFixed(1)}" width="${long.toFixed(1)}" height="${unit / 3}" fill="#fff" opacity="0.25"/>`;
	});
}
