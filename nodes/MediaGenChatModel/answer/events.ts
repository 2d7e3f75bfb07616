/** The lines of a text that comes in pieces. A piece may end anywhere, even inside a letter. */
async function* linesIn(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
	const decoder = new TextDecoder();
	let rest = '';
	for await (const piece of pieces) {
		const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
		rest = lines.pop() ?? '';
		for (const line of lines) yield line.replace(/\r$/, '');
	}
	yield rest + decoder.decode();
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
