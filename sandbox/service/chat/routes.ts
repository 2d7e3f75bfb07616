import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { invalid, ServiceError } from '../core/errors';
import { accountOf, bearerAccount } from '../core/http/auth';
import { parse } from '../core/http/parse';
import type { Service } from '../core/service';
import { completionsAnswer, completionsStream, messagesAnswer, messagesStream } from './answers';
import type { Chat } from './chat';
import { completionsSchema, lastSaid, messagesSchema } from './request';

const VERSION = '2023-06-01';

/** Any other name is accepted as well: the spec has none. */
const SAMPLE_MODELS = ['vendor-chat-1', 'vendor-chat-1-mini'];

/** Chat endpoints with prefix caching (spec, section 8). */
export function chatRoutes(app: FastifyInstance, service: Service, chat: Chat): void {
	app.get('/v1/models', (request) => {
		bearerAccount(service, request);
		return { object: 'list', data: SAMPLE_MODELS.map((id) => ({ id, object: 'model' })) };
	});

	app.post('/v1/messages', async (request, reply) => {
		const key = header(request, 'x-api-key');
		if (key === undefined) throw new ServiceError(401, 'The x-api-key header is missing.');
		const account = accountOf(service, key);
		if (header(request, 'vendor-version') !== VERSION)
			throw invalid(`vendor-version: must be ${VERSION}`);
		const body = parse(messagesSchema, request.body);
		const last = body.messages.at(-1)?.content;
		const isTool = Array.isArray(last) && last.some(({ type }) => type === 'tool_result');
		const said = lastSaid(body.messages, 'user');
		const answer = await chat.answer({
			account,
			style: 'messages',
			body,
			beta: header(request, 'vendor-beta'),
			said: {
				lastRole: isTool ? 'tool' : 'user',
				user: said,
				tool: isTool ? said : '',
				limit: body.max_tokens ?? null,
			},
		});
		if (!body.stream) return messagesAnswer(answer);
		return await stream(service, reply, messagesStream(answer));
	});

	app.post('/v1/chat/completions', async (request, reply) => {
		const account = bearerAccount(service, request);
		const body = parse(completionsSchema, request.body);
		const answer = await chat.answer({
			account,
			style: 'completions',
			body,
			beta: header(request, 'vendor-beta'),
			said: {
				lastRole: body.messages.at(-1)?.role ?? '',
				user: lastSaid(body.messages, 'user'),
				tool: lastSaid(body.messages, 'tool'),
				limit: body.max_tokens ?? body.max_completion_tokens ?? null,
			},
		});
		if (!body.stream) return completionsAnswer(answer);
		const withUsage = body.stream_options?.include_usage === true;
		return await stream(service, reply, completionsStream(answer, withUsage));
	});
}

/** Sends events, one after the other. */
async function stream(
	service: Service,
	reply: FastifyReply,
	events: Iterable<string>,
): Promise<FastifyReply> {
	async function* paced() {
		let isFirst = true;
		for (const event of events) {
			const { chatPieceDelay } = service.settings;
			if (!isFirst && chatPieceDelay > 0) await service.lifetime.sleep(chatPieceDelay);
			isFirst = false;
			yield event;
		}
	}
	return await reply
		.type('text/event-stream; charset=utf-8')
		.header('cache-control', 'no-cache')
		.send(Readable.from(paced()));
}

function header({ headers }: FastifyRequest, name: string): string | undefined {
	const value = headers[name];
	return Array.isArray(value) ? value.join(',') : value || undefined;
}
