import { answerIn, contentText } from '../../shared/api/chat';
import { errorInBody, unreadableResponse } from '../../shared/api/errors';
import { isObject, objectOf, objectsIn, parseJson } from '../../shared/util/json';
import { type Answer, callsIn, isUnread, toToolCalls } from './answer';

/** What the last event of a completions stream says instead of JSON. */
const DONE = '[DONE]';

/** The event type, and the finish reason, that mean an error of any form. */
const ERROR = 'error';

/** A tool call whose arguments come in pieces. */
interface OpenCall {
	id: unknown;
	name: unknown;
	/** Arguments that came whole, if no pieces follow. */
	whole: unknown;
	pieces: string;
	count: number;
}

type Fields = Record<string, unknown>;

/** Whether arguments are complete. An empty object is not: it may stand for those that follow. */
const areWhole = (json: string) =>
	json.startsWith('{') && Object.keys(objectOf(parseJson(json))).length > 0;

/** The JSON in the data of an event: one value, or one per line. Throws an `ApiError` if it breaks off. */
function parsed(data: string): unknown[] {
	const whole = parseJson(data);
	if (whole !== undefined) return [whole];
	return data.split('\n').map((line) => {
		const value = parseJson(line);
		if (value === undefined && line.trim().startsWith('{')) throw unreadableResponse(200, data);
		return value;
	});
}

/** The events in the data of a server-sent event: one, bare or in `data`, or a list of several. */
function eventsOf(given: unknown): Fields[] {
	if (Array.isArray(given)) return given.flatMap(eventsOf);
	if (!isObject(given)) return [];
	const inner = Array.isArray(given.data) && given.data.length > 1 ? given.data : [given.data];
	return inner.map((data) => answerIn({ ...given, data }));
}

/** An answer that comes in events, in either style: the two styles cannot be confused. */
export class StreamedAnswer {
	private id: string | undefined;
	private text = '';
	private stopReason: string | null = null;
	private usage: Fields | undefined;
	private readonly calls: OpenCall[] = [];

	/** Calls that may get more pieces, by their place: with or without an index, a later block or call takes the place over. */
	private readonly openCalls = new Map<number, OpenCall>();

	/** Whether the service has said that nothing follows. */
	isOver = false;

	/** Whether text has come in pieces, as both styles define it: text that comes in another form repeats it. */
	private hasPieces = false;

	/** Whether calls have come in a list: a service may repeat them in the field of older ones. */
	private hasList = false;

	get isComplete(): boolean {
		return this.isOver || this.stopReason !== null;
	}

	get isUnread(): boolean {
		const { text, calls, stopReason, usage } = this;
		return isUnread({ text, calls, stopReason, usage });
	}

	/** What came of an answer that breaks off, with the names of the tools that it had begun to call. */
	get received() {
		const calls = this.calls.map(({ name }) => String(name));
		return { text: this.text, calls, usage: this.usage };
	}

	/** Reads the data of one event, and returns the text in it. Throws an `ApiError` for one that reports an error, or that is incomplete. */
	add(data: string): string {
		if (data.trim() === DONE) this.isOver = true;
		return parsed(data)
			.flatMap(eventsOf)
			.map((event) => this.addEvent(event))
			.join('');
	}

	private addEvent(event: Fields): string {
		const { type, choices } = event;
		const isChoice = Array.isArray(choices);
		// A code next to a choice may mean anything.
		const mayBeError = !isChoice || (event.error !== undefined && event.error !== null);
		const error = mayBeError ? errorInBody(event) : undefined;
		if (error) throw error;
		const choice = objectOf(isChoice ? choices[0] : undefined);
		if (type === ERROR || choice.finish_reason === ERROR || isObject(choice.error))
			throw errorInBody(choice) ?? unreadableResponse(200, event);
		const ofMessages = typeof type === 'string' ? this.addMessagesEvent(type, event) : '';
		this.hasPieces ||= ofMessages !== '';
		// The usage may come in a chunk of its own.
		const isChunk = typeof type !== 'string' || isChoice;
		const text = ofMessages + (isChunk ? this.addChunk(event) : '');
		this.text += text;
		return text;
	}

	/** The answer. Throws an `UnusableAnswer` for a tool call that breaks off. */
	toAnswer(): Answer {
		const { id, text, stopReason, usage } = this;
		const calls = this.calls.map(({ pieces, whole, ...call }) => {
			return { ...call, input: pieces === '' ? whole : pieces };
		});
		return {
			id,
			text,
			calls: toToolCalls(calls, stopReason),
			stopReason,
			...(stopReason === null ? { hasNoEnd: true } : {}),
			usage,
		};
	}

	private addMessagesEvent(type: string, event: Fields): string {
		const place = Number(event.index);
		switch (type) {
			case 'message_start': {
				const { id, usage } = objectOf(event.message);
				if (typeof id === 'string') this.id = id;
				this.addUsage(usage);
				break;
			}
			case 'content_block_start': {
				const block = objectOf(event.content_block);
				this.openCalls.delete(place);
				if (block.type === 'text') return contentText(block.text);
				if (block.type === 'tool_use')
					this.openCall(place, block.id, block.name).whole = block.input;
				break;
			}
			case 'content_block_delta': {
				const delta = objectOf(event.delta);
				const call = this.openCalls.get(place);
				if (!call) return contentText(delta.text);
				call.pieces += contentText(delta.partial_json);
				if (isObject(delta.partial_json)) call.whole = delta.partial_json;
				break;
			}
			case 'message_delta':
				this.addStopReason(objectOf(event.delta).stop_reason);
				this.addUsage(event.usage);
				break;
			case 'message_stop':
				this.isOver = true;
				break;
			// A service that cannot stream may send the whole answer in one event.
			case 'message':
				return this.isEmpty && Array.isArray(event.content) ? this.addWhole(event) : '';
		}
		return '';
	}

	private get isEmpty(): boolean {
		return this.text === '' && this.calls.length === 0;
	}

	/** Returns the text in a whole answer in messages style. */
	private addWhole({ id, content, stop_reason, usage }: Fields): string {
		const blocks: unknown[] = Array.isArray(content) ? content : [];
		if (typeof id === 'string') this.id = id;
		for (const [at, block] of blocks.map(objectOf).entries())
			if (block.type === 'tool_use') this.openCall(at, block.id, block.name).whole = block.input;
		this.addStopReason(stop_reason);
		this.addUsage(usage);
		return contentText(content);
	}

	private addChunk({ id, choices, usage, stop_reason, content, text }: Fields): string {
		const choice = objectOf(Array.isArray(choices) ? choices[0] : { text: content ?? text });
		// A service that cannot stream may send the whole answer in one chunk.
		const delta = objectOf(choice.delta ?? (this.isEmpty ? choice.message : undefined));
		if (typeof id === 'string') this.id = id;
		const listed = objectsIn(delta.tool_calls);
		this.hasList ||= listed.length > 0;
		const calls = this.hasList ? listed : callsIn(delta);
		for (const [at, call] of calls.entries()) this.addCallPiece(call, at);
		this.addStopReason(choice.finish_reason);
		this.addStopReason(stop_reason);
		this.addUsage(usage);
		const piece = contentText(delta.content) + contentText(delta.refusal);
		this.hasPieces ||= piece !== '';
		return this.hasPieces ? piece : contentText(choice.text);
	}

	/**
	 * The id and the name come with the first piece of a call. Without an index, a piece belongs to the call in its place. Another id begins
	 * another call, whatever its index. So do complete arguments after complete ones, from services that give calls neither.
	 */
	private addCallPiece({ index, id, function: called }: Fields, at: number): void {
		const place = typeof index === 'number' ? index : at;
		const { name, arguments: input } = objectOf(called);
		const piece = contentText(input);
		const known = this.openCalls.get(place);
		const hasId = typeof id === 'string' && id !== '';
		const isOther = hasId && typeof known?.id === 'string' && known.id !== id;
		const isNext = !hasId && known?.count === 1 && areWhole(known.pieces) && areWhole(piece);
		const isSame = known && !isOther && !isNext;
		const call = isSame
			? known
			: this.openCall(place, id, isNext ? contentText(name) || known.name : name);
		call.pieces += piece;
		call.count += 1;
		if (isObject(input)) call.whole = input;
	}

	private openCall(place: number, id: unknown, name: unknown): OpenCall {
		const call: OpenCall = { id, name, whole: undefined, pieces: '', count: 0 };
		this.openCalls.set(place, call);
		this.calls.push(call);
		return call;
	}

	private addStopReason(reason: unknown): void {
		if (typeof reason === 'string' && reason !== '') this.stopReason = reason;
	}

	/** Messages style reports the input at the beginning and the output at the end. A zero may mean that nothing is reported. */
	private addUsage(usage: unknown): void {
		if (!isObject(usage)) return;
		const told = Object.entries(usage).filter(
			([name, value]) => value !== null && !(value === 0 && this.usage?.[name] !== undefined),
		);
		this.usage = { ...this.usage, ...Object.fromEntries(told) };
	}
}
