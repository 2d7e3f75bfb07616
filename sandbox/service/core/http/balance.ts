import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../errors';
import { creditsToCost } from '../prices';
import type { Service } from '../service';
import type { Account } from '../store/accounts';
import { accountOf, bearerKey } from './auth';

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
			if (key === undefined)
				throw new ServiceError(401, 'The Authorization header with a bearer token is missing.');
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
