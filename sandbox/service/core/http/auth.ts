import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../errors';
import type { Service } from '../service';
import type { Account } from '../store/accounts';

const BEARER = /^Bearer +(\S+)$/i;

/**
 * The key of `Authorization: Bearer <key>`.
 * @throws ServiceError 401 without one
 */
export function bearerKey(request: FastifyRequest): string {
	const key = BEARER.exec(request.headers.authorization ?? '')?.[1];
	if (key === undefined)
		throw new ServiceError(401, 'The Authorization header with a bearer token is missing.');
	return key;
}

/**
 * The account behind a bearer token (spec, Authentication).
 * @throws ServiceError 401 without a valid key, 403 for a key without permission
 */
export function bearerAccount(service: Service, request: FastifyRequest): Account {
	return accountOf(service, bearerKey(request));
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
