import { answerIn, contentText } from '../../shared/api/chat';
import { errorInBody, unreadableResponse } from '../../shared/api/errors';
import { isObject, objectOf, objectsIn, parseJson } from '../../shared/util/json';
import {
	type Answer,
	type AnswerParts,
	callsIn,
	type GivenCall,
	partsIn,
	toAnswer,
} from './answer';

/** What the last event of a completions stream says instead of JSON. */
const DONE = '[DONE]';

/** The event type, and the finish reason, that mean an error of any form. */
const ERROR = 'error';

/** A tool call, of which so many pieces have come. */
interface OpenCall extends GivenCall {
	pieces: number;
	/** Whether its arguments come in pieces of a text. What began the call is then no part of them. */
	isText?: boolean;
}

type Fields = Record<string, unknown>;

/** Adds to the arguments of a call: a piece of their text, or all of them as an object, which pieces replace. */
function addInput(call: OpenCall, given: unknown): void {
	if (typeof given === 'string' && given !== '') {
		call.input = (call.isText ? String(call.input) : '') + given;
		call.isText = true;
	} else if (isObject(given) && !call.isText) call.input = given;
	call.pieces += 1;
}

/** Whether arguments are the text of a complete object. An empty one is not complete: it may stand for those that follow. */
const areWhole = (input: unknown) =>
	typeof input === 'string' &&
	input.startsWith('{') &&
	Object.keys(objectOf(parseJson(input))).length > 0;

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

/** What was reported, and what is reported now. A zero may mean that nothing is reported. */
function withUsage(before: Fields = {}, usage: Fields): Fields {
	const told = Object.entries(usage).filter(
		([name, value]) => value !== null && !(value === 0 && before[name] !== undefined),
	);
	const merged: Fields = {};
	for (const [name, value] of told)
		merged[name] = isObject(value) ? withUsage(objectOf(before[name]), value) : value;
	return { ...before, ...merged };
}

/** An answer that comes in events, in either style: the two styles cannot be confused. */
export class StreamedAnswer {
	/** What came so far. */
	readonly parts: AnswerParts & { calls: OpenCall[] } = {
		id: undefined,
		text: '',
		calls: [],
		stopReason: null,
		usage: undefined,
	};

	/** Calls that may get more pieces, by their place: with or without an index, a later block or call takes the place over. */
	private readonly openCalls = new Map<number, OpenCall>();

	/** Whether the service has said that nothing follows. */
	isOver = false;

	/** Whether text has come in pieces, as both styles define it: text that comes in another form repeats it. */
	private hasPieces = false;

	/** Whether calls have come in a list: a service may repeat them in the field of older ones. */
	private hasList = false;

	get isComplete(): boolean {
		return this.isOver || this.parts.stopReason !== null;
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
		const isWhole =
			(type === 'message' && Array.isArray(event.content)) ||
			(isObject(choice.message) && !isObject(choice.delta));
		const isEmpty = this.parts.text === '' && this.parts.calls.length === 0;
		const text = isWhole && isEmpty ? this.addWhole(event) : this.addPiece(event, isChoice);
		this.parts.text += text;
		return text;
	}

	/** A service that cannot stream may send the whole answer in one event. */
	private addWhole(event: Fields): string {
		const { id, text, calls, stopReason, usage } = partsIn(event);
		this.addId(id);
		for (const [at, call] of calls.entries()) this.openCall(at, call);
		this.addStopReason(stopReason);
		this.addUsage(usage);
		this.hasPieces ||= text !== '';
		return text;
	}

	private addPiece(event: Fields, isChoice: boolean): string {
		const { type } = event;
		const ofMessages = typeof type === 'string' ? this.addMessagesEvent(type, event) : '';
		this.hasPieces ||= ofMessages !== '';
		// The usage may come in a chunk of its own.
		const isChunk = typeof type !== 'string' || isChoice;
		return ofMessages + (isChunk ? this.addChunk(event) : '');
	}

	/** The answer. Throws an `UnusableAnswer` for a tool call that breaks off. */
	toAnswer(): Answer {
		return {
			...toAnswer(this.parts),
			...(this.parts.stopReason === null ? { hasNoEnd: true } : {}),
		};
	}

	private addMessagesEvent(type: string, event: Fields): string {
		const place = Number(event.index);
		switch (type) {
			case 'message_start': {
				const { id, usage } = objectOf(event.message);
				this.addId(id);
				this.addUsage(usage);
				break;
			}
			case 'content_block_start': {
				const block = objectOf(event.content_block);
				this.openCalls.delete(place);
				if (block.type === 'text') return contentText(block.text);
				if (block.type === 'tool_use') this.openCall(place, block);
				break;
			}
			case 'content_block_delta': {
				const delta = objectOf(event.delta);
				const call = this.openCalls.get(place);
				if (!call) return contentText(delta.text);
				addInput(call, delta.partial_json);
				break;
			}
			case 'message_delta':
				this.addStopReason(objectOf(event.delta).stop_reason);
				this.addUsage(event.usage);
				break;
			case 'message_stop':
				this.isOver = true;
				break;
		}
		return '';
	}

	private addChunk({ id, choices, usage, stop_reason, content, text }: Fields): string {
		const choice = objectOf(Array.isArray(choices) ? choices[0] : { text: content ?? text });
		const delta = objectOf(choice.delta);
		this.addId(id);
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
	 * The id and the name come with the first piece of a call, or later. Another id begins another call, whatever its index. So do complete arguments
	 * after complete ones, from services that give calls no ids.
	 */
	private addCallPiece({ index, id, function: called }: Fields, at: number): void {
		const place = typeof index === 'number' ? index : at;
		const { name, arguments: input } = objectOf(called);
		const known = this.openCalls.get(place);
		const hasId = typeof id === 'string' && id !== '';
		const isOther = hasId && typeof known?.id === 'string' && known.id !== id;
		const isNext = !hasId && known?.pieces === 1 && areWhole(known.input) && areWhole(input);
		const next = () => ({ id, name: isNext ? contentText(name) || known.name : name });
		const call = known && !isOther && !isNext ? known : this.openCall(place, next());
		if (contentText(call.name) === '') call.name = name;
		addInput(call, input);
	}

	private openCall(place: number, { id, name, input }: Partial<GivenCall>): OpenCall {
		const call = { id, name, input, pieces: 0 };
		this.openCalls.set(place, call);
		this.parts.calls.push(call);
		return call;
	}

	private addId(id: unknown): void {
		if (typeof id === 'string') this.parts.id = id;
	}

	private addStopReason(reason: unknown): void {
		if (typeof reason === 'string' && reason !== '') this.parts.stopReason = reason;
	}

	/** Messages style reports the input at the beginning and the output at the end. */
	private addUsage(usage: unknown): void {
		if (isObject(usage)) this.parts.usage = withUsage(this.parts.usage, usage);
	}
}
