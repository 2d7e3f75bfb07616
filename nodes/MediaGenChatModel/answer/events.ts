/** The lines of a text that comes in pieces. A piece may end anywhere, even inside a letter. */
async function* linesIn(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
	const decoder = new TextDecoder();
	// Joined once per line: an answer may be a single one.
	let open: string[] = [];
	for await (const piece of pieces) {
		const [end = '', ...begun] = decoder.decode(piece, { stream: true }).split('\n');
		open.push(end);
		for (const next of begun) {
			yield open.join('').replace(/\r$/, '');
			open = [next];
		}
	}
	yield open.join('') + decoder.decode();
}

/** The data of the server-sent events in a stream, one after the other, as soon as each is complete. */
export async function* eventsIn(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
	let data: string[] = [];
	for await (const line of linesIn(pieces)) {
		if (line.startsWith('data:')) data.push(line.slice('data:'.length).replace(/^ /, ''));
		if (line !== '' || data.length === 0) continue;
		yield data.join('\n');
		data = [];
	}
	// A stream that breaks off in the middle of an event must not lose the events before it; one that ends without a last line may.
	if (data.length > 0) yield data.join('\n');
}
