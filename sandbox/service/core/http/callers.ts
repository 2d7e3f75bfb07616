import { isIP } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { ServiceError } from '../errors';
import type { Service } from '../service';

/** An address of a link has the name of an interface behind it, such as `%br-5f3c`. */
const isLoopback = (address: string) =>
	ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';

/** The name or the address in a `Host` header, without brackets and port; empty where there is none. */
function nameOf(host: string | undefined): string {
	const { hostname = '' } = URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : {};
	return hostname.replace(/^\[|\]$/g, '');
}

/**
 * Answers to `localhost`, an address, and the name of the public URL. The browser does not recognize a page whose own name leads
 * to this machine (DNS rebinding), so such a page gets nothing.
 */
export function installHostCheck(app: FastifyInstance, service: Service): void {
	app.addHook('onRequest', ({ headers }, _reply, done) => {
		const name = nameOf(headers.host);
		if (
			name === 'localhost' ||
			isIP(name) !== 0 ||
			(name !== '' && name === new URL(service.url).hostname)
		)
			return done();
		throw new ServiceError(
			421,
			`The sandbox does not answer under the name ${JSON.stringify(name)}. Start it with that name in --public-url.`,
		);
	});
}

/** A proxy or a tunnel on this machine passes on requests of others. */
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'];

/** Whether a program of this machine sent the request, or a page of the sandbox, and not a page of another site. */
export function isLocal({ ip, headers }: FastifyRequest): boolean {
	const { host, origin, 'sec-fetch-site': site = 'none' } = headers;
	const name = nameOf(host);
	return (
		isLoopback(ip) &&
		(name === 'localhost' || (isIP(name) !== 0 && isLoopback(name))) &&
		!FORWARDED.some((header) => header in headers) &&
		(origin === undefined || origin === `http://${host}`) &&
		['none', 'same-origin'].includes(String(site))
	);
}
