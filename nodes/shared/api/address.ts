const PRIVATE_V4 = [
	/^0\./,
	/^10\./,
	/^127\./,
	/^169\.254\./,
	/^172\.(1[6-9]|2\d|3[01])\./,
	/^192\.168\./,
	/^100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./,
];

const LOCAL_NAME = /(^|\.)(localhost|local|internal|lan|home\.arpa)$/;

function isPrivateV6(host: string): boolean {
	const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(host);
	if (mapped) {
		const [high, low] = [parseInt(mapped[1] ?? '', 16), parseInt(mapped[2] ?? '', 16)];
		return isPrivateV4([high >> 8, high & 255, low >> 8, low & 255].join('.'));
	}
	return host === '::' || host === '::1' || /^f[cd]|^fe[89ab]/.test(host);
}

function isPrivateV4(host: string): boolean {
	return PRIVATE_V4.some((range) => range.test(host));
}

/**
 * Whether an address names a machine that the public internet cannot reach: loopback, private and link-local
 * ranges, names without a dot and names that never resolve in public. Names are judged as written, not resolved.
 */
export function isPrivateHost(url: URL): boolean {
	const host = url.hostname.toLowerCase().replace(/\.$/, '');
	if (host.startsWith('[')) return isPrivateV6(host.slice(1, -1));
	if (/^[\d.]+$/.test(host)) return isPrivateV4(host);
	return LOCAL_NAME.test(host) || !host.includes('.');
}

/** Reads an absolute http or https address; `undefined` for anything else. */
export function parseWebUrl(value: string): URL | undefined {
	try {
		const url = new URL(value);
		return url.protocol === 'http:' || url.protocol === 'https:' ? url : undefined;
	} catch {
		return undefined;
	}
}

/**
 * Why the service would drop a callback base address without a word, or `undefined` if it would take it
 * (spec, Events 6): public host, http or https, port 80 or 443, not the service's own domain.
 */
export function callbackAddressFlaw(address: string, serviceBaseUrl: string): string | undefined {
	const url = parseWebUrl(address);
	if (!url) return 'it is not a full http or https URL';
	if (isPrivateHost(url)) return `the service cannot reach the private host ${url.hostname}`;
	if (url.port !== '' && url.port !== '80' && url.port !== '443') {
		return `the service uses the standard ports 80 and 443 only, not ${url.port}`;
	}
	if (url.hostname === parseWebUrl(serviceBaseUrl)?.hostname) {
		return "it points at the service's own domain";
	}
	return undefined;
}
