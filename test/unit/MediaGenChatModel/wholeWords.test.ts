import { wholeWords } from '../../../nodes/MediaGenChatModel/answer/wholeWords';

/** What comes out with each piece, and at the end. */
function cut(...pieces: string[]): string[] {
	let rest = '';
	const shown = pieces.map((piece) => {
		const [whole, held] = wholeWords(rest + piece);
		rest = held;
		return whole;
	});
	return [...shown, rest];
}

test.each([
	['between two words', ['It is ab', 'cd, as'], ['It is ', 'abcd, ', 'as']],
	['at the end of a line', ['one\ntw', 'o'], ['one\n', '', 'two']],
	['in a script without blanks', ['今天天', '气很好ab', 'c'], ['今天天', '气很好', '', 'abc']],
	['after much text', [`${'word '.repeat(2_000)}ab`, 'cd '], ['word '.repeat(2_000), 'abcd ', '']],
])('a text is cut %s', (_where, pieces, expected) => {
	expect(cut(...pieces)).toEqual(expected);
});

test('a word without an end is not held back for ever', () => {
	expect(cut('x'.repeat(4_001), 'y')).toEqual(['x'.repeat(4_001), '', 'y']);
});
