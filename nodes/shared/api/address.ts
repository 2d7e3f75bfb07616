/** Longer texts are no links. */
const LONGEST_LINK = 8_192;

const HOST_FIRST = /^(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|(?:[a-z0-9-]+\.)+[a-z]{2,})(?::\d+)?\//i;

/** Whether a text is a whole link, without blanks. */
export const isWholeLink = (text: string): boolean => /^https?:\/\/\S+$/i.test(text);

/** How a text that is no whole link may be meant as one: it begins with a path or a host, or only ends like a file. */
export function linkShape(text: string): 'link' | 'path' | 'file' | undefined {
	if (text.length > LONGEST_LINK) return undefined;
	const link = text.trim();
	if (/^https?:\/\/./i.test(link)) return 'link';
	if (HOST_FIRST.test(link) || /^(?:\.{0,2}\/)+[^/\s]/.test(link)) return 'path';
	return !link.includes(':') && /\.[a-z0-9]{3,4}$/i.test(link.split(/[?#]/, 1)[0] ?? '') ? 'file' : undefined;
}

/** A full link of what a service wrote: relative to the base URL, without a scheme, or with blanks. */
export function resolveLink(text: string, baseUrl: string): string | undefined {
	const link = text.trim();
	if (isWholeLink(link)) return link;
	const hasHost = HOST_FIRST.test(link);
	if (baseUrl === '' && !hasHost && !/^(?:https?:)?\/\//i.test(link)) return undefined;
	try {
		return new URL(hasHost ? `//${link}` : link, `${baseUrl === '' ? 'https://localhost' : baseUrl}/`).href;
	} catch {
		return undefined;
	}
}

type Octets = readonly [number, number, number, number];

function parseV4(host: string): Octets | undefined {
	const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(host);
	if (!match) return undefined;
	const [, a = 0, b = 0, c = 0, d = 0] = match.map(Number);
	return [a, b, c, d];
}

/** Ranges that are not reachable from the public internet (RFC 6890), multicast and reserved addresses. */
function isPrivateV4([a, b]: Octets): boolean {
	return (
		a === 0 ||
		a === 10 ||
		a === 127 ||
		a >= 224 ||
		(a === 100 && b >= 64 && b <= 127) ||
		(a === 169 && b === 254) ||
		(a === 172 && b >= 16 && b <= 31) ||
		(a === 192 && b === 168) ||
		(a === 198 && (b === 18 || b === 19))
	);
}

/** The eight groups of an IPv6 address as `URL` writes it: hexadecimal, with at most one `::`. */
function parseV6(host: string): number[] {
	const [head = '', tail] = host.split('::');
	const groups = (part: string) => (part === '' ? [] : part.split(':').map((group) => parseInt(group, 16)));
	const before = groups(head);
	if (tail === undefined) return before;
	const after = groups(tail);
	return [...before, ...Array<number>(Math.max(0, 8 - before.length - after.length)).fill(0), ...after];
}

const octetsOf = (high = 0, low = 0): Octets => [high >> 8, high & 255, low >> 8, low & 255];

/** The IPv4 address inside an IPv6 one: mapped, compatible, NAT64 or 6to4. */
function embeddedV4(groups: readonly number[]): Octets | undefined {
	const [first = 0, second, third] = groups;
	if (first === 0x2002) return octetsOf(second, third);
	const isNat64 = first === 0x64 && second === 0xff9b;
	const zeros = groups.slice(isNat64 ? 2 : 0, 5).every((group) => group === 0);
	const sixth = groups[5] ?? 0;
	return zeros && (sixth === 0 || (sixth === 0xffff && !isNat64)) ? octetsOf(groups[6], groups[7]) : undefined;
}

function isPrivateV6(host: string): boolean {
	const groups = parseV6(host);
	const embedded = embeddedV4(groups);
	if (embedded) return isPrivateV4(embedded);
	const [first = 0] = groups;
	// fc00::/7 unique local, fe80::/10 link-local, fec0::/10 site-local, ff00::/8 multicast
	return (first & 0xfe00) === 0xfc00 || (first & 0xff80) === 0xfe80 || (first & 0xff00) === 0xff00;
}

const LOCAL_NAME = /(^|\.)(localhost|local|internal|lan|home\.arpa)$/;

/**
 * Whether the public internet cannot reach an address: loopback, private, link-local and reserved ranges in every notation,
 * names without a dot, and names that never resolve in public. Names are not resolved.
 */
export function isPrivateHost(url: URL): boolean {
	const host = url.hostname.toLowerCase().replace(/\.$/, '');
	if (host.startsWith('[')) return isPrivateV6(host.slice(1, -1));
	const octets = parseV4(host);
	return octets ? isPrivateV4(octets) : LOCAL_NAME.test(host) || !host.includes('.');
}

/** Reads an absolute http or https address. Returns `undefined` for anything else. */
export function parseWebUrl(value: string): URL | undefined {
	try {
		const url = new URL(value);
		return url.protocol === 'http:' || url.protocol === 'https:' ? url : undefined;
	} catch {
		return undefined;
	}
}

/**
 * Why the service would drop a callback base address silently, or `undefined` if it takes it (spec, Events 6): a public
 * host, http or https, not the service's own domain.
 */
export function callbackAddressProblem(address: string, serviceBaseUrl: string): string | undefined {
	const url = parseWebUrl(address);
	if (!url) return 'it is not a full http or https URL';
	if (isPrivateHost(url)) return `the service cannot reach the private host ${url.hostname}`;
	if (url.hostname === parseWebUrl(serviceBaseUrl)?.hostname) return "it points at the service's own domain";
	return undefined;
}

/** The port of a callback address, if it is not 80 or 443: the service may block others (spec, Events 6). */
export function unusualPort(address: string): string | undefined {
	const port = parseWebUrl(address)?.port ?? '';
	return port === '' || port === '80' || port === '443' ? undefined : port;
}
