import { BlockList, isIP } from 'node:net';
import type { Settings } from '../options';

/** Ranges that no public receiver can have (spec, Events, rule 6: "local and private addresses"). */
const PRIVATE = new BlockList();
for (const [net, prefix] of [
	['0.0.0.0', 8],
	['10.0.0.0', 8],
	['100.64.0.0', 10],
	['127.0.0.0', 8],
	['169.254.0.0', 16],
	['172.16.0.0', 12],
	['192.168.0.0', 16],
] as const) {
	PRIVATE.addSubnet(net, prefix, 'ipv4');
}
for (const [net, prefix] of [
	['::', 128],
	['::1', 128],
	['fc00::', 7],
	['fe80::', 10],
] as const) {
	PRIVATE.addSubnet(net, prefix, 'ipv6');
}

const PRIVATE_NAME = /(^|\.)(localhost|local|internal|lan|home\.arpa)$/;

/**
 * The target of a callback: `/callback` appended to the base address, without doubling its slash (spec, Events, rule 2).
 * @param query `text` appends to the whole address, behind its query; `path` to the path, before the query
 */
export function callbackUrl(base: string, query: Settings['webhookQuery'] = 'text'): string {
	const end = query === 'path' ? base.search(/[?#]|$/) : base.length;
	const address = base.slice(0, end);
	return `${address}${address.endsWith('/') ? '' : '/'}callback${base.slice(end)}`;
}

export interface AddressRules {
	/** Lifts the rules on host and port, for receivers on a private network. */
	allowPrivate: boolean;
	/** Host names of the service itself. */
	ownHosts: readonly string[];
	/** `host:port` that the service listens on. */
	ownAddress: string;
}

/**
 * Why a callback address must not be used (spec, Events, rule 6), or `null` when it may be.
 * @param base the `webhook` field as it came
 */
export function addressProblem(base: string, rules: AddressRules): string | null {
	if (!URL.canParse(base)) return 'not a URL';
	const url = new URL(base);
	const host = url.hostname
		.toLowerCase()
		.replace(/^\[|\]$/g, '')
		.replace(/\.$/, '');
	if (url.protocol !== 'http:' && url.protocol !== 'https:')
		return `scheme ${url.protocol.slice(0, -1)} is not http or https`;
	if (rules.ownHosts.includes(host) || url.host === rules.ownAddress)
		return "the host is the service's own";
	if (rules.allowPrivate) return null;
	if (isPrivate(host)) return `${host} is a local or private address`;
	// The URL parser leaves a scheme's standard port out.
	if (url.port !== '' && url.port !== '80' && url.port !== '443')
		return `port ${url.port} is neither 80 nor 443`;
	return null;
}

function isPrivate(host: string): boolean {
	const version = isIP(host);
	if (version === 4) return PRIVATE.check(host, 'ipv4');
	if (version === 6) return PRIVATE.check(host, 'ipv6');
	return PRIVATE_NAME.test(host) || !host.includes('.');
}
