import type { FastifyInstance, FastifyReply } from 'fastify';
import { paddedStream } from '../../media/media';
import { dialectOf } from '../dialects';
import { ServiceError } from '../errors';
import { creditsToCost } from '../prices';
import type { Service } from '../service';
import type { Account } from '../store/accounts';
import { blobFile, type StoredFile } from '../store/files';
import { ownTask } from '../tasks/lifecycle';
import { enveloped } from '../tasks/record';
import { accountOf, bearerAccount, bearerKey } from './auth';

/** The task queries: music has a path of its own, the other families share `GET /v1/tasks/{task_id}`. */
export function taskRoutes(app: FastifyInstance, service: Service): void {
	for (const path of new Set(Object.values(service.taskPaths))) {
		app.get<{ Params: { id: string } }>(path.replace('{task_id}', ':id'), (request) => {
			const account = bearerAccount(service, request);
			const task = ownTask(service, account, request.params.id);
			if (!task || service.taskPaths[task.family] !== path)
				throw new ServiceError(404, 'task not found');
			const family = service.families[task.family];
			const record = family.record(service, task);
			const isEnveloped = family.isEnveloped || dialectOf(service.settings.dialect).envelope;
			return isEnveloped ? enveloped(record) : record;
		});
	}
}

/** `GET /v1/balance` and `GET /balance` (spec, section 1), open to cross-origin requests. */
export function balanceRoutes(app: FastifyInstance, service: Service): void {
	for (const path of ['/v1/balance', '/balance']) {
		app.options(path, async (_request, reply) => {
			await reply
				.code(204)
				.header('access-control-allow-origin', '*')
				.header('access-control-allow-methods', 'GET, OPTIONS')
				.header('access-control-allow-headers', 'authorization, content-type')
				.send();
		});

		app.get(path, (request, reply) => {
			reply.header('access-control-allow-origin', '*');
			const key = bearerKey(request);
			const known = service.accounts.find(key);
			// A failed lookup is answered with the record, not with the error envelope.
			if (!known || known.status === 'deleted')
				return { success: false, message: 'The token does not exist.' };
			return balanceRecord(accountOf(service, key));
		});
	}
}

/** The balance record (spec, Balance record): -1 where there is no limit. */
function balanceRecord({ unlimited, remainCredits, usedCredits }: Account) {
	return {
		success: true,
		remain_balance: unlimited ? -1 : creditsToCost(remainCredits),
		remain_credits: unlimited ? -1 : remainCredits,
		used_balance: creditsToCost(usedCredits),
		used_credits: usedCredits,
		unlimited_quota: unlimited,
	};
}

/** Downloads of results and uploads. The links are public: no key is needed. */
export function fileRoutes(app: FastifyInstance, service: Service): void {
	app.get<{ Params: { name: string } }>('/files/:name', async (request, reply) => {
		const file = service.files.find(request.params.name);
		if (!file) throw new ServiceError(404, 'file not found');
		if (service.files.isExpired(file)) throw new ServiceError(410, 'The link has expired.');
		return await sendFile(service, reply, file);
	});

	app.get<{ Params: { bytes: string } }>(
		'/files/blob/:bytes(^\\d{1,12}).bin',
		async (request, reply) => sendFile(service, reply, blobFile(Number(request.params.bytes))),
	);
}

async function sendFile(
	service: Service,
	reply: FastifyReply,
	file: StoredFile,
): Promise<FastifyReply> {
	const bytes = await service.media.bytes(file);
	reply.type(file.contentType);
	if (file.padTo === null) return await reply.send(bytes);
	return await reply.header('content-length', file.padTo).send(paddedStream(file.padTo, bytes));
}
