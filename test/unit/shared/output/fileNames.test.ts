import { FileNames, withExtension } from '../../../../nodes/shared/output/fileNames';
import type { ResultFile } from '../../../../nodes/shared/output/resultFiles';
import { submittedTask } from '../../../../nodes/shared/output/task';
import { words } from '../../../support/words';

const file = (index: number | null, name: string | null = null): ResultFile => ({
	index,
	kind: 'audio',
	url: 'https://x.example/1',
	name,
	expiresAt: null,
});

const taskWith = (...results: ResultFile[]) => ({
	...submittedTask({ taskId: 'task_1', family: 'music' as const, operation: 'stems' }),
	results,
});

const namesOf = (wanted: string | undefined, ...results: ResultFile[]) =>
	new FileNames().namesFor(taskWith(...results), wanted);

test("the user's own name, numbered from the second file on", () => {
	const names = namesOf('Harbour', file(1), file(2), file(3));
	expect(names).toEqual(words('Harbour Harbour-2 Harbour-3'));
});

const grid = [file(null, 'grid'), ...[1, 2, 3, 4].map((index) => file(index))];

test.each<[string, ResultFile[], string]>([
	['a grid and its four pictures', grid, 'harbour-grid harbour-1 harbour-2 harbour-3 harbour-4'],
	['a single picture of a grid', [file(null, 'grid')], 'harbour'],
	['pictures of a grid, one missing', [file(null, 'grid'), file(2)], 'harbour-grid harbour-2'],
	['stems', [file(1, 'drum_kit'), file(2, 'bass')], 'harbour-drum_kit harbour-bass'],
	['one stem', [file(1, 'lead_vocal')], 'harbour-lead_vocal'],
	['a clip and its cover', [file(1), file(2, 'cover')], 'harbour harbour-cover'],
])("the user's own name with what each file is: %s", (_, files, names) => {
	expect(namesOf('harbour', ...files)).toEqual(words(names));
});

test('a long name of the service does not make a file name too long', () => {
	const [name = ''] = namesOf('a'.repeat(300), file(1, `${'b'.repeat(300)}/`));
	expect(name).toBe(`${'a'.repeat(150)}-${'b'.repeat(60)}`);
});

test("without one: the service's own name of the file, else family, task and number", () => {
	expect(namesOf(undefined, file(1, 'vocals'), file(2))).toEqual(['vocals', 'music-task_1-2']);
	const names = namesOf(undefined, file(null, 'grid'), file(1), file(null));
	expect(names).toEqual(words('music-task_1-grid music-task_1-1 music-task_1-3'));
});

test('equal names in one run are made different, whatever their case', () => {
	const names = new FileNames();
	const next = (wanted: string, count = 1) =>
		names.namesFor(taskWith(...Array.from({ length: count }, (_, at) => file(at + 1))), wanted);
	const given = [next('a'), next('A'), next('a-2'), next('a', 2), next('a')].flat();
	expect(given).toEqual(words('a A-2 a-2-2 a-3 a-2-3 a-4'));
	expect([next('b-2'), next('B'), next('b')].flat()).toEqual(['b-2', 'B', 'b-3']);
});

test('names that differ in the way an accent is written are equal', () => {
	const names = new FileNames();
	const next = (wanted: string) => names.namesFor(taskWith(file(1)), wanted);
	expect([next('Caf\u00e9'), next('Cafe\u0301'), next('CAF\u00c9')].flat()).toEqual([
		'Caf\u00e9',
		'Cafe\u0301-2',
		'CAF\u00c9-3',
	]);
});

test.each([
	['a/b\\c:d*e?f"g<h>i|j', 'a_b_c_d_e_f_g_h_i_j'],
	['two\nlines\u0000', 'two_lines_'],
	['../../etc/passwd', '_.._etc_passwd'],
	['song.mp3', 'song.mp3'],
	['v1.2', 'v1.2'],
	[' . ', '_'],
	['', '_'],
	['con', '_con'],
	['LPT1.wav', '_LPT1.wav'],
	['poster.png', 'poster'],
	['x'.repeat(400), 'x'.repeat(150)],
	['灯台'.repeat(100), '灯台'.repeat(25)],
	['🎵'.repeat(100), '🎵'.repeat(37)],
	['a//b', 'a_b'],
	['..song. ', 'song'],
	['a. .b', 'a. .b'],
	['Song.MP3', 'Song.MP3'],
	['song.mp3.b', 'song.mp3.b'],
	['song.txt', 'song.txt'],
	['songmp3', 'songmp3'],
	['icon', 'icon'],
	['console', 'console'],
	['com10', 'com10'],
	['Über den Wolken 🎵', 'Über den Wolken 🎵'],
])('a name that file systems accept: %j', (wanted, name) => {
	expect(namesOf(wanted, file(1))).toEqual([name]);
});

const EXTENSIONS = words('aac flac m4a mp3 ogg wav gif jpg jpeg png webp mp4 mov webm');

test.each(EXTENSIONS)('.%s is not in the name twice', (extension) => {
	const [name = ''] = namesOf(`song.${extension}`, file(1));
	expect(withExtension(name, 'audio/x-wav', 'https://x.example/1')).toBe('song.wav');
});

test.each(['prn', 'AUX', 'nul', 'com1', 'lpt9', 'nul.txt'])('%s is a device on Windows', (name) => {
	expect(namesOf(name, file(1))).toEqual([`_${name}`]);
});

test('a task whose family is not known', () => {
	expect(new FileNames().namesFor({ ...taskWith(file(2)), family: null }, undefined)).toEqual([
		'task-task_1-2',
	]);
});

test.each(
	words(`
		audio/aac=aac audio/flac=flac audio/mp4=m4a audio/ogg=ogg audio/wav=wav audio/x-wav=wav image/gif=gif
		image/jpeg=jpg image/png=png video/mp4=mp4 video/quicktime=mov video/webm=webm
	`).map((pair) => pair.split('=')),
)('%s is .%s', (type, extension) => {
	expect(withExtension('a', type, 'https://x.example/1.bin')).toBe(`a.${extension}`);
});

test.each([
	['audio/mpeg', 'https://x.example/1.bin', 'a.mp3'],
	['image/webp', 'https://x.example/1', 'a.webp'],
	['application/octet-stream', 'https://x.example/1.flac?x=.png', 'a.flac'],
	[undefined, 'https://x.example/1.mp4#t', 'a.mp4'],
	[undefined, 'https://x.example/1.MP4', 'a.MP4'],
	[undefined, 'https://x.example/1.x', 'a'],
	[undefined, 'https://x.example/1.ab', 'a.ab'],
	[undefined, 'https://x.example/1.abcde', 'a.abcde'],
	[undefined, 'https://x.example/1.abcdef', 'a'],
	[undefined, 'https://x.example/v1.2/track', 'a'],
	[undefined, 'https://x.example/xmp4', 'a'],
	[undefined, 'https://x.example/track', 'a'],
])('the extension by the type %s and the link %s', (type, url, name) => {
	expect(withExtension('a', type, url)).toBe(name);
});
