import { eventsIn } from '../../../nodes/MediaGenChatModel/answer/events';

/** The events of each turn in which some came, for a stream that comes in these pieces. */
async function turnsOf(...pieces: Array<string | Uint8Array>): Promise<string[][]> {
	async function* stream() {
		for (const piece of pieces)
			yield await Promise.resolve(typeof piece === 'string' ? Buffer.from(piece) : piece);
	}
	const turns: string[][] = [];
	for await (const turn of eventsIn(stream())) turns.push(turn);
	return turns;
}

test.each<[string, string[], string[][]]>([
	['an event', ['data: one\n\n'], [['one']]],
	['without a blank', ['data:one\n\n'], [['one']]],
	['with two blanks, of which one is its own', ['data:  one \n\n'], [[' one ']]],
	['lines that end with a carriage return', ['data: one\r\n\r\n'], [['one']]],
	['a carriage return inside a line', ['data: a\rb\n\n'], [['a\rb']]],
	['several lines of one event', ['data: one\ndata:\ndata: two\n\n'], [['one\n\ntwo']]],
	['an empty event', ['data:\n\n'], [['']]],
	['two events at once', ['data: one\n\ndata: two\n\n'], [['one', 'two']]],
	['two events, one after the other', ['data: one\n\n', 'data: two\n\n'], [['one'], ['two']]],
	['comments and other fields', [': hello\nevent: x\nid: 7\ndata: one\n\n'], [['one']]],
	['a field that only ends like data', ['metadata: x\n\ndata: one\n\n'], [['one']]],
	['empty lines between events', ['\n\n\ndata: one\n\n\n\ndata: two\n\n'], [['one', 'two']]],
	['an event in many pieces', ['da', 'ta', ': o', 'ne\n', '\n'], [['one']]],
	['an event and a part of the next', ['data: one\n\ndata: tw', 'o\n\n'], [['one'], ['two']]],
	['no end of the last event', ['data: one\n\ndata: two\n'], [['one'], ['two']]],
	['no end of the last line', ['data: one\n\ndata: tw'], [['one'], ['tw']]],
	['an end that says nothing', ['data: one\n\n: bye'], [['one']]],
	['an error in words', ['event: error\ndata: down\n\n'], [['{"error":"down","type":"error"}']]],
	['an error in JSON', ['data: {"code":7}\nevent:error\n\n'], [['{"code":7,"type":"error"}']]],
	['words after an error', ['event: error\n\ndata: one\n\n'], [['one']]],
	['nothing', [], []],
	['nothing but a comment', [': hello\n\n'], []],
])('%s', async (_, pieces, turns) => {
	expect(await turnsOf(...pieces)).toEqual(turns);
});

test('a piece that ends inside a letter', async () => {
	const bytes = Buffer.from('data: Füchse\n\n');
	const inside = bytes.indexOf(0xbc);
	expect(await turnsOf(bytes.subarray(0, inside), bytes.subarray(inside))).toEqual([['Füchse']]);
	expect(await turnsOf(bytes.subarray(0, inside))).toEqual([['F\ufffd']]);
});
