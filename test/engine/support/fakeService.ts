import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a path answers: a status and JSON, a page, or bytes. */
export interface Answer {
	status?: number;
	body: unknown;
	type?: string;
}

const UNKNOWN: Answer = { status: 404, body: { error: { code: 3, message: 'task not found', type: 'not_found_error' } } };

/** A service whose answers a test writes itself, for what the spec does not show. A path without an answer is unknown. */
export function useFakeService() {
	let answers: Record<string, Answer> = {};
	const requests: string[] = [];
	const server = createServer((request, response) => {
		const path = request.url ?? '/';
		requests.push(path);
		const { status = 200, body, type = 'application/json' } = answers[path] ?? UNKNOWN;
		response.writeHead(status, { 'content-type': type });
		response.end(type === 'application/json' ? JSON.stringify(body) : body);
	});
	beforeAll(async () => await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
	beforeEach(() => {
		answers = {};
		requests.length = 0;
	});
	afterAll(() => server.close());
	return {
		requests,
		credential: () => ({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, apiKey: 'key' }),
		answer(path: string, body: unknown, rest: Omit<Answer, 'body'> = {}): void {
			answers[path] = { body, ...rest };
		},
	};
}
