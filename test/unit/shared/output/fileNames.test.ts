import { FileNames, withExtension } from '../../../../nodes/shared/output/download';
import type { ResultFile } from '../../../../nodes/shared/output/resultFiles';
import { submittedTask } from '../../../../nodes/shared/output/task';

const file = (index: number | null, name: string | null = null): ResultFile => ({ index, kind: 'audio', url: 'https://x.example/1', name, expiresAt: null });

const taskWith = (...results: ResultFile[]) => ({ ...submittedTask({ taskId: 'task_1', family: 'music' as const, operation: 'stems' }), results });

const namesOf = (wanted: string | undefined, ...results: ResultFile[]) => new FileNames().namesFor(taskWith(...results), wanted);

test("the user's own name, numbered from the second file on", () => {
	expect(namesOf('Harbour', file(1), file(2), file(3))).toEqual(['Harbour', 'Harbour-2', 'Harbour-3']);
});

test("without one: the service's own name of the file, else family, task and number", () => {
	expect(namesOf(undefined, file(1, 'vocals'), file(2))).toEqual(['vocals', 'music-task_1-2']);
	expect(namesOf(undefined, file(null, 'grid'), file(1), file(null))).toEqual(['music-task_1-grid', 'music-task_1-1', 'music-task_1-3']);
});

test('equal names in one run are made different, whatever their case', () => {
	const names = new FileNames();
	const next = (wanted: string, count = 1) => names.namesFor(taskWith(...Array.from({ length: count }, (_, at) => file(at + 1))), wanted);
	expect([next('a'), next('A'), next('a-2'), next('a', 2), next('a')].flat()).toEqual(['a', 'A-2', 'a-2-2', 'a-3', 'a-2-3', 'a-4']);
});

test.each([
	['a/b\\c:d*e?f"g<h>i|j', 'a_b_c_d_e_f_g_h_i_j'],
	['two\nlines\u0000', 'two_lines_'],
	['../../etc/passwd', '_.._etc_passwd'],
	['song.mp3', 'song'],
	['v1.2', 'v1.2'],
	[' . ', '_'],
	['', '_'],
	['con', '_con'],
	['LPT1.wav', '_LPT1'],
	['x'.repeat(400), 'x'.repeat(150)],
	['Über den Wolken 🎵', 'Über den Wolken 🎵'],
])('a name that file systems accept: %j', (wanted, name) => {
	expect(namesOf(wanted, file(1))).toEqual([name]);
});

test.each([
	['audio/mpeg', 'https://x.example/1.bin', 'a.mp3'],
	['image/webp', 'https://x.example/1', 'a.webp'],
	['application/octet-stream', 'https://x.example/1.flac?x=.png', 'a.flac'],
	[undefined, 'https://x.example/1.mp4#t', 'a.mp4'],
	[undefined, 'https://x.example/track', 'a'],
])('the extension by the type %s and the link %s', (type, url, name) => {
	expect(withExtension('a', type, url)).toBe(name);
});
