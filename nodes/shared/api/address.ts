import { IPv4, IPv6 } from '../util/vendor/ipaddr';

const LONGEST_LINK = 8_192;

const HOST_FIRST = /^(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|(?:[a-z0-9-]+\.)+[a-z]{2,})(?::\d+)?\//i;

export const isWholeLink = (value: unknown): boolean =>
	typeof value === 'string' && /^https?:\/\/\S+$/i.test(value);

/** How a text that is not a whole link may be meant as one: with a scheme, as a path (perhaps after a host), or as a file's name. */
export function linkShape(text: string): 'link' | 'path' | 'name' | undefined {
	if (text.length > LONGEST_LINK) return undefined;
	const link = text.trim();
	if (/^https?:\/\/./i.test(link)) return 'link';
	if (HOST_FIRST.test(link) || /^(?:\.{0,2}\/)+[^/\s]/.test(link)) return 'path';
	return link.includes(':') ? undefined : 'name';
}

export const isMeantAsLink = (text: string): boolean =>
	['link', 'path'].includes(linkShape(text) ?? '');

/** The full link for what a service wrote: relative to the base URL, without a scheme, or with blanks. A whole link stays as it is. */
export function resolveLink(text: string, baseUrl: string): string | undefined {
	if (isWholeLink(text)) return text;
	const link = text.trim();
	const hasHost = HOST_FIRST.test(link);
	if (baseUrl === '' && !hasHost && !/^(?:https?:)?\/\//i.test(link)) return undefined;
	const whole = hasHost ? `//${link}` : link;
	const base = `${baseUrl === '' ? 'https://localhost' : baseUrl}/`;
	return URL.canParse(whole, base) ? new URL(whole, base).href : undefined;
}

/** The IPv6 addresses that are assigned (RFC 4291). The rest is reserved. */
const GLOBAL_UNICAST = IPv6.parseCIDR('2000::/3');

/** An address of Azure that only its own machines can reach. */
const AZURE = '168.63.129.16';

const isPrivateV4 = (address: IPv4): boolean =>
	address.range() !== 'unicast' || address.toString() === AZURE;

/** Ranges of IPv6 that lead to an embedded IPv4 address, and the number of bytes before it. */
const EMBEDDED = [
	[IPv6.parseCIDR('::ffff:0:0/96'), 12],
	// NAT64
	[IPv6.parseCIDR('64:ff9b::/96'), 12],
	// 6to4
	[IPv6.parseCIDR('2002::/16'), 2],
] as const;

function isPrivateV6(address: IPv6): boolean {
	const [, start] = EMBEDDED.find(([range]) => address.match(range)) ?? [];
	if (start !== undefined)
		return isPrivateV4(new IPv4(address.toByteArray().slice(start, start + 4)));
	return address.range() !== 'unicast' || !address.match(GLOBAL_UNICAST);
}

const LOCAL_NAME = /(^|\.)(localhost|localdomain|local|internal|lan|home\.arpa)$/;

/** A host in lower case, without the dots that may end a name. */
export const hostOf = (url: URL): string => url.hostname.toLowerCase().replace(/(?<!\.)\.+$/, '');

/**
 * Whether the public internet cannot reach an address: loopback, private, link-local and reserved ranges in every notation, names without a
 * dot, and names that never resolve on the internet. Names are not resolved.
 */
export function isPrivateHost(url: URL): boolean {
	const host = hostOf(url);
	if (host.startsWith('[')) return isPrivateV6(IPv6.parse(host.slice(1, -1)));
	// `URL` has brought every other notation into this one.
	if (IPv4.isValidFourPartDecimal(host)) return isPrivateV4(IPv4.parse(host));
	return LOCAL_NAME.test(host) || !host.includes('.');
}
