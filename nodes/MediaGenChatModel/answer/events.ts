import { isObject, parseJson } from '../../shared/util/json';

/** An error as JSON, whatever its form, also one that is plain text. */
function errorIn(event: string): string {
	const given = parseJson(event);
	return JSON.stringify({ ...(isObject(given) ? given : { error: event }), type: 'error' });
}

/** Names of events in messages style. */
const MESSAGES_EVENT = /^(?:message|content_block)_/;

/** The data of an event, with its type, which some services state in the name of the event only. */
function dataOf(event: string, name: string): string {
	if (name === 'error') return errorIn(event);
	const given = MESSAGES_EVENT.test(name) ? parseJson(event) : undefined;
	return isObject(given) && given.type === undefined
		? JSON.stringify({ ...given, type: name })
		: event;
}

/** The data of the server-sent events in a stream: for each piece, which may end anywhere, all events that it completes. */
export async function* eventsIn(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
	const decoder = new TextDecoder();
	// Joined once per line: a whole answer may be a single line.
	let open: string[] = [];
	let data: string[] = [];
	let name = '';
	const endLine = (): string[] => {
		const line = open.join('').replace(/\r$/, '');
		open = [];
		if (line.startsWith('data:')) data.push(line.slice('data:'.length).replace(/^ /, ''));
		if (line.startsWith('event:')) name = line.slice('event:'.length).trim();
		if (line !== '') return [];
		const event = data.join('\n');
		const events = data.length === 0 ? [] : [dataOf(event, name)];
		data = [];
		name = '';
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
