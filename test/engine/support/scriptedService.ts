import type { IncomingMessage, ServerResponse } from 'node:http';

import { type Clock, clock, setClock } from '../../../nodes/shared/util/clock';
import { openServer } from '../../support/server';

/** A response of the service, in the words of the test. */
export interface Reply {
	/** Default: 200. */
	status?: number;
	headers?: Record<string, string>;
	/** Sent as JSON. */
	json?: unknown;
	/** Sent as it is. */
	text?: string | Buffer;
	/** Breaks the connection instead of answering. */
	reset?: boolean;
	/** Real milliseconds before the response. */
	afterMs?: number;
	/** The response waits for this. */
	after?: Promise<unknown>;
	/** Writes the response by hand. */
	raw?: (response: ServerResponse) => void;
}

/** A file of this content type. */
export const file = (text: string | Buffer, type: string): Reply => ({
	text,
	headers: { 'content-type': type },
});

/** A file of so many pieces of 200 bytes, with so long between two of them by the nodes' clock. */
export const slowFile = (pieces: number, pauseMs: number): Reply => ({
	raw: (response) => {
		response.writeHead(200, { 'content-type': 'audio/mpeg' });
		let left = pieces;
		const next = () => {
			response.write(Buffer.alloc(200, 7));
			if (--left > 0) void clock.sleep(pauseMs).then(next);
			else response.end();
		};
		next();
	},
});

export interface SeenRequest {
	method: string;
	path: string;
	body: unknown;
	headers: IncomingMessage['headers'];
	/** By the clock of the nodes. */
	at: number;
}

export type Replies = Array<Reply | ((request: SeenRequest) => Reply)>;

export const SCRIPTED_KEY = 'scripted-key';

/** A service that answers what a test says, in any shape. */
export interface ScriptedService {
	readonly url: string;
	/** Requests that arrived, in order. */
	readonly requests: SeenRequest[];
	/** Replies to requests of a path, one after the other; the last one stays. `*` stands for any characters. */
	on(method: string, path: string, ...replies: Replies): void;
	/** Requests of a method and a path. */
	sent(method: string, path: string): SeenRequest[];
	credential(): {
		baseUrl: string;
		apiKey: string;
		allowPrivateCallbacks: boolean;
		brandWords: string;
	};
}

type Script = { method: string; path: RegExp; replies: Replies };

const patternOf = (path: string) =>
	new RegExp(`^${path.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/\*/g, '.*')}$`);

function read(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return text;
	}
}

async function send(reply: Reply, response: ServerResponse): Promise<void> {
	if (reply.afterMs !== undefined)
		await new Promise((resolve) => setTimeout(resolve, reply.afterMs));
	await reply.after;
	if (reply.raw) return reply.raw(response);
	if (reply.reset) {
		response.destroy();
		return;
	}
	const content = reply.text ?? JSON.stringify(reply.json ?? {});
	const type = reply.text === undefined ? 'application/json' : 'text/html';
	response.writeHead(reply.status ?? 200, { 'content-type': type, ...reply.headers }).end(content);
}

/** A scripted service for the tests of one file, emptied before each of them. `time`, if given, becomes the nodes' clock. */
export function useScriptedService(time?: () => Clock): ScriptedService {
	let url = '';
	let close = async () => {};
	let scripts: Script[] = [];
	const requests: SeenRequest[] = [];
	beforeAll(async () => {
		({ url, close } = await openServer(
			({ method = '', url: path = '', headers }, response, body) => {
				const seen = { method, path, body: read(body.toString()), headers, at: clock.now() };
				requests.push(seen);
				const script = scripts.find((each) => each.method === method && each.path.test(path));
				const next =
					script && script.replies.length > 1 ? script.replies.shift() : script?.replies[0];
				const missing = {
					status: 404,
					json: {
						error: { message: `Nothing at ${method} ${path}`, type: 'not_found', code: 404 },
					},
				};
				void send((typeof next === 'function' ? next(seen) : next) ?? missing, response);
			},
		));
	});
	beforeEach(() => {
		if (time) setClock(time());
		scripts = [];
		requests.length = 0;
	});
	afterAll(async () => {
		if (time) setClock(undefined);
		await close();
	});
	return {
		get url() {
			return url;
		},
		requests,
		on: (method, path, ...replies) => {
			scripts.unshift({ method, path: patternOf(path), replies });
		},
		sent: (method, path) =>
			requests.filter((request) => request.method === method && patternOf(path).test(request.path)),
		credential: () => ({
			baseUrl: url,
			apiKey: SCRIPTED_KEY,
			allowPrivateCallbacks: true,
			brandWords: '{}',
		}),
	};
}
