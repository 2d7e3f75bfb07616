import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../errors';
import type { Service } from '../service';
import type { Account } from '../store/accounts';

const BEARER = /^Bearer +(\S+)$/i;

/** The key of `Authorization: Bearer <key>`, or `undefined`. */
export function bearerKey(request: FastifyRequest): string | undefined {
	return BEARER.exec(request.headers.authorization ?? '')?.[1];
}

/**
 * The account behind a bearer token (spec, Authentication).
 * @throws ServiceError 401 without a valid key, 403 for a key without permission
 */
export function bearerAccount(service: Service, request: FastifyRequest): Account {
	const key = bearerKey(request);
	if (key === undefined)
		throw new ServiceError(401, 'The Authorization header with a bearer token is missing.');
	return accountOf(service, key);
}

/** @throws ServiceError 401 for a key that does not exist, 403 for one without permission */
export function accountOf(service: Service, key: string): Account {
	const account = service.accounts.find(key);
	if (!account || account.status === 'deleted')
		throw new ServiceError(401, 'The API key is not valid.');
	if (account.status === 'forbidden')
		throw new ServiceError(403, 'The API key has no permission for this.');
	return account;
}
