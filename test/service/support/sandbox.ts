import {
	createSandbox,
	manualClock,
	type ManualClock,
	type Sandbox,
	type SandboxOptions,
} from '../../../sandbox/service';

/** What came back, as a client without any library sees it. */
export interface Answer {
	status: number;
	headers: Headers;
	text: string;
	/** The body as JSON; empty when it is not JSON. */
	body: Json;
}

/** Any JSON value, with free access to its members. */
export interface Json {
	[key: string | number]: Json | undefined;
}

export interface Client {
	get(path: string, headers?: Record<string, string>): Promise<Answer>;
	post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
	/** Submits and gives the task's id. */
	submit(path: string, body: unknown): Promise<string>;
	/** The record in `data`. */
	task(id: string): Promise<Json>;
}

export interface Bench {
	sandbox: Sandbox;
	clock: ManualClock;
	client: Client;
	/** Calls one of the sandbox's own paths. */
	admin: (method: string, path: string, body?: unknown) => Promise<Answer>;
	/** Submits, lets the task end, and gives its record. */
	finished: (path: string, body: object) => Promise<Json>;
}

const running: Sandbox[] = [];

afterEach(async () => {
	await Promise.all(running.splice(0).map((sandbox) => sandbox.close()));
});

/** A sandbox on a clock that the test moves, closed after the test. */
export async function bench(options: SandboxOptions = {}): Promise<Bench> {
	const clock = manualClock();
	const sandbox = await createSandbox({ clock, ...options });
	running.push(sandbox);
	const client = clientOf(sandbox, sandbox.key);
	return {
		sandbox,
		clock,
		client,
		admin: (method, path, body) =>
			ask(sandbox.adminUrl + path, {
				method,
				...(body === undefined ? {} : { headers: JSON_TYPE, body: JSON.stringify(body) }),
			}),
		async finished(path, body) {
			const id = await client.submit(path, body);
			await clock.advance(10_000);
			return await client.task(id);
		},
	};
}

/** A bench that is new in each test of one file, with what `more` makes of it. */
export function useBench<More = object>(more?: (it: Bench) => More | Promise<More>): Bench & More {
	const it = {} as Bench & More;
	beforeEach(async () => {
		const opened = await bench();
		Object.assign(it, opened, await more?.(opened));
	});
	return it;
}

const JSON_TYPE = { 'content-type': 'application/json' };

/** The HTTP code of a refusal with what its envelope says. */
export const refusalOf = ({ status, body: { error } }: Answer) => [
	status,
	error?.code,
	error?.type,
];

/** A client that sends `key` as its bearer token. */
export function clientOf(sandbox: Sandbox, key: string): Client {
	const auth = { authorization: `Bearer ${key}` };
	const client: Client = {
		get: (path, headers = {}) => ask(sandbox.url + path, { headers: { ...auth, ...headers } }),
		post: (path, body, headers = {}) =>
			ask(sandbox.url + path, {
				method: 'POST',
				headers: { ...auth, ...JSON_TYPE, ...headers },
				body: typeof body === 'string' ? body : JSON.stringify(body),
			}),
		async submit(path, body) {
			const answer = await client.post(path, body);
			if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
			return text(answer.body.data?.[0]?.task_id);
		},
		async task(id) {
			const answer = await client.get(`/v1/tasks/${id}`);
			if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
			return answer.body.data ?? {};
		},
	};
	return client;
}

export async function ask(url: string, init?: RequestInit): Promise<Answer> {
	const response = await fetch(url, init);
	const body = await response.text();
	return { status: response.status, headers: response.headers, text: body, body: asJson(body) };
}

export async function download(url: string): Promise<Buffer> {
	const response = await fetch(url);
	if (!response.ok) throw new Error(`${response.status} for ${url}`);
	return Buffer.from(await response.arrayBuffer());
}

/** Waits for something that comes over the network, with an error that names it after forty seconds. */
export async function until(what: string, isSo: () => boolean): Promise<void> {
	const deadline = Date.now() + 40_000;
	while (!isSo()) {
		if (Date.now() > deadline) throw new Error(`Timed out waiting until ${what}`);
		await new Promise((resolve) => setTimeout(resolve, 2));
	}
}

/** The code of the connection's failure, for a request that must not be answered. */
export async function connectionError(request: Promise<unknown>): Promise<string> {
	try {
		await request;
	} catch (error) {
		const cause = (error as Error).cause as { code?: string } | undefined;
		return cause?.code ?? String(error);
	}
	throw new Error('The request was answered.');
}

/** A text where one must be. */
export function text(value: unknown): string {
	if (typeof value !== 'string') throw new Error(`Not a text: ${JSON.stringify(value)}`);
	return value;
}

function asJson(body: string): Json {
	try {
		return JSON.parse(body) as Json;
	} catch {
		return {};
	}
}
