import { isObject, parseJson } from '../../shared/util/json';

/** An error as JSON, whatever its form, also one that is plain text. */
function errorIn(event: string): string {
	const given = parseJson(event);
	return JSON.stringify({ ...(isObject(given) ? given : { error: event }), type: 'error' });
}

/**
 * The data of the server-sent events in a stream: as soon as a piece comes, all events that it completes. A piece may end anywhere, even
 * inside a character. The text of an event named `error` is given as an error in JSON.
 */
export async function* eventsIn(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
	const decoder = new TextDecoder();
	// Joined once per line: a whole answer may be a single line.
	let open: string[] = [];
	let data: string[] = [];
	let isError = false;
	const endLine = (): string[] => {
		const line = open.join('').replace(/\r$/, '');
		open = [];
		if (line.startsWith('data:')) data.push(line.slice('data:'.length).replace(/^ /, ''));
		if (line.startsWith('event:')) isError = line.slice('event:'.length).trim() === 'error';
		if (line !== '') return [];
		const event = data.join('\n');
		const events = data.length === 0 ? [] : [isError ? errorIn(event) : event];
		data = [];
		isError = false;
		return events;
	};
	for await (const piece of pieces) {
		const [end = '', ...begun] = decoder.decode(piece, { stream: true }).split('\n');
		open.push(end);
		const events = begun.flatMap((next) => {
			const ended = endLine();
			open.push(next);
			return ended;
		});
		if (events.length > 0) yield events;
	}
	open.push(decoder.decode());
	// A stream may end without a blank line after its last event, or break off in the middle of one: what came before is not lost.
	const last = [...endLine(), ...endLine()];
	if (last.length > 0) yield last;
}
